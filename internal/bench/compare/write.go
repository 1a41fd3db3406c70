package compare

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"golang.org/x/perf/benchunit"
)

// Write prints the tables, as benchstat does, and then the problems.
func (c *Comparison) Write(w io.Writer) error {
	var text strings.Builder
	config := ""
	for _, t := range c.Tables {
		if t.Config != config {
			fmt.Fprintf(&text, "%s\n", t.Config)
			config = t.Config
		}
		c.writeTable(&text, t)
	}
	for _, problem := range c.Problems {
		fmt.Fprintf(&text, "cannot be judged: %s\n", problem)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

func (c *Comparison) writeTable(text *strings.Builder, t Table) {
	columns := tabwriter.NewWriter(text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(columns, "%s\t%s\t%s\tvs %s\t\t\n", t.Unit, c.OldLabel, c.NewLabel, c.OldLabel)
	class := benchunit.ClassOf(t.Unit)
	for _, row := range t.Rows {
		scale := benchunit.CommonScale([]float64{row.Old.Center, row.New.Center}, class)
		fmt.Fprintf(columns, "%s\t%s ± %s\t%s ± %s\t%s\t(%s)\t\n", row.Name,
			scale.Format(row.Old.Center), row.Old.PctRangeString(),
			scale.Format(row.New.Center), row.New.PctRangeString(),
			row.Test.FormatDelta(row.Old.Center, row.New.Center), row.Test)
	}
	if ratio, ok := t.geomean(); ok {
		fmt.Fprintf(columns, "geomean\t\t\t%+.2f%%\t\t\n", 100*(ratio-1))
	}
	_ = columns.Flush() // a Builder takes everything
	text.WriteByte('\n')
}

// geomean returns the geometric mean of the ratios of new to old, where all of them are positive.
func (t Table) geomean() (float64, bool) {
	sum := 0.0
	for _, row := range t.Rows {
		if row.Old.Center <= 0 || row.New.Center <= 0 {
			return 0, false
		}
		sum += math.Log(row.New.Center / row.Old.Center)
	}
	return math.Exp(sum / float64(len(t.Rows))), len(t.Rows) > 1
}
