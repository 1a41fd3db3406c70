// Package compare judges two sets of benchmark results, in Go's benchmark format, with benchstat's statistics: the
// median, its confidence interval, and the Mann-Whitney U-test of whether two samples differ at all.
//
// It differs from benchstat in what it refuses. A comparison that could not have come out badly is an error here: a
// benchmark that is on one side only, results of another machine, samples too few for any difference to be
// significant.
package compare

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchunit"
)

const (
	// confidence of the intervals around the medians.
	confidence = 0.95
	// leastSamples is how many samples a side must have for the U-test to be able to find a difference at all.
	leastSamples = 4
)

// Comparison is what there is to say of two sets of results.
type Comparison struct {
	OldLabel, NewLabel string
	Tables             []Table

	// Problems tell why the comparison cannot be trusted to find what it is made for; none where it can.
	Problems []string
}

// Table holds the results of one unit and one configuration (package, operating system …).
type Table struct {
	Config string
	Unit   string
	Better int // +1 where more is better, −1 where less is, 0 where nobody can say
	Rows   []Row
}

// Row is one benchmark on both sides.
type Row struct {
	Name     string
	Old, New benchmath.Summary
	Test     benchmath.Comparison
	Above    bool // every new value is above every old one
	Slowdown Slowdown
	Calls    [2]int // of the function that was measured, old and new, in all samples
}

// Compare reads both sides and compares what they have in common. Its error says that one of them is no result at all.
func Compare(older, newer Source, options Options) (*Comparison, error) {
	a, err := read(older, options)
	if err != nil {
		return nil, err
	}
	b, err := read(newer, options)
	if err != nil {
		return nil, err
	}
	c := &Comparison{OldLabel: older.Label, NewLabel: newer.Label}
	if x, y := a.machine(), b.machine(); x != y && !options.AnyMachine {
		c.problemf("they come from different machines (%s; %s): their times say nothing about the programs", x, y)
	}
	c.checkSides(a, b)
	c.checkSides(b, a)
	for _, key := range a.order {
		if len(b.values[key]) > 0 {
			c.add(key, a, b)
		}
	}
	return c, nil
}

func (c *Comparison) problemf(format string, args ...any) {
	c.Problems = append(c.Problems, fmt.Sprintf(format, args...))
}

// checkSides finds the benchmarks that the other side lacks. Each is named once, whatever its units.
func (c *Comparison) checkSides(has, lacks *side) {
	var only []string
	for key := range has.values {
		// Older results have wall time alone.
		if len(lacks.values[key]) == 0 && key.unit != CPUTime {
			only = append(only, key.title())
		}
	}
	slices.Sort(only)
	for _, name := range slices.Compact(only) {
		c.problemf("only in %s: %s", has.label, name)
	}
}

// add compares one benchmark in one unit.
func (c *Comparison) add(key series, a, b *side) {
	i := slices.IndexFunc(c.Tables, func(t Table) bool { return t.Config == key.config && t.Unit == key.unit })
	if i < 0 {
		t := Table{Config: key.config, Unit: key.unit, Better: b.units.GetBetter(key.unit)}
		if IsTime(key.unit) {
			t.Better = -1
		}
		i, c.Tables = len(c.Tables), append(c.Tables, t)
	}
	t := &c.Tables[i]
	older, newer := a.values[key], b.values[key]
	thresholds := benchmath.DefaultThresholds
	x, y := benchmath.NewSample(older, &thresholds), benchmath.NewSample(newer, &thresholds)
	assume := b.units.GetAssumption(key.unit)
	test := assume.Compare(x, y)
	t.Rows = append(t.Rows, Row{
		Name: key.name,
		Old:  assume.Summary(x, confidence), New: assume.Summary(y, confidence),
		Test: test, Above: slices.Min(newer) > slices.Max(older),
		Slowdown: slowdownOf(x.Values, y.Values, t.Better), Calls: [2]int{a.calls[key.name], b.calls[key.name]},
	})
	if fewest := min(test.N1, test.N2); fewest < leastSamples && test.Alpha != 0 { // exact values need one sample
		c.problemf("%s: %d samples of %s cannot show any difference; at least %d can, 10 do well",
			key.name, fewest, key.unit, leastSamples)
	}
}

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
