package bench

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchunit"

	"github.com/loopstone/loopstone/internal/wording"
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
	Rows   []Row
}

// Row is one benchmark on both sides.
type Row struct {
	Name     string
	Old, New benchmath.Summary
	Test     benchmath.Comparison
	Above    bool // every new value is above every old one
	Slowdown Slowdown
}

// Compare compares what two sets of results have in common, with benchstat's statistics: the median, its confidence
// interval, and the Mann-Whitney U-test of whether two samples differ at all. Its error says that one of them is no
// result at all.
//
// It differs from benchstat in what it refuses. A comparison that could not have come out badly is a problem here: a
// benchmark that is on one side only, results of another machine unless any will do, samples too few for any difference
// to be significant.
func Compare(older, newer Source, anyMachine bool) (*Comparison, error) {
	g, err := newGrouping(anyMachine)
	if err != nil {
		return nil, err
	}
	a, err := g.read(older)
	if err != nil {
		return nil, err
	}
	b, err := g.read(newer)
	if err != nil {
		return nil, err
	}
	c := &Comparison{OldLabel: older.Label, NewLabel: newer.Label}
	if !maps.Equal(a.machines, b.machines) && !anyMachine {
		c.problemf("they come from different machines (%s; %s): their times say nothing about the programs",
			a.machine(), b.machine())
	}
	c.checkSides(g, a, b)
	c.checkSides(g, b, a)
	for _, key := range a.order {
		if len(b.values[key]) > 0 {
			c.add(g, key, a, b)
		}
	}
	return c, nil
}

// RequireJudged adds a problem where no result is in a unit that [Comparison.Findings] judges: no gate could fail.
func (c *Comparison) RequireJudged() {
	if !slices.ContainsFunc(c.Tables, func(t Table) bool { return isJudged(t.Unit) }) {
		c.problemf("no benchmark has a time (ns/op, ns/event) or allocations (allocs/op) on both sides, which a gate judges")
	}
}

func (c *Comparison) problemf(format string, args ...any) {
	c.Problems = append(c.Problems, fmt.Sprintf(format, args...))
}

// checkSides finds the benchmarks that the other side lacks. Each is named once, whatever its units.
func (c *Comparison) checkSides(g grouping, has, lacks *side) {
	var only []string
	for key := range has.values {
		if len(lacks.values[key]) > 0 || key.table.Get(g.unit) == cpuTime { // older results have wall time alone
			continue
		}
		only = append(only, g.title(key))
	}
	slices.Sort(only)
	for _, name := range slices.Compact(only) {
		c.problemf("only in %s: %s", has.label, name)
	}
}

// add compares one benchmark in one unit.
func (c *Comparison) add(g grouping, key series, a, b *side) {
	config, unit := g.config(key.table), key.table.Get(g.unit)
	i := slices.IndexFunc(c.Tables, func(t Table) bool { return t.Config == config && t.Unit == unit })
	if i < 0 {
		i, c.Tables = len(c.Tables), append(c.Tables, Table{Config: config, Unit: unit})
	}
	t := &c.Tables[i]
	thresholds := benchmath.DefaultThresholds
	x, y := benchmath.NewSample(a.values[key], &thresholds), benchmath.NewSample(b.values[key], &thresholds)
	assume := b.units.GetAssumption(unit)
	row := Row{
		Name: key.row.StringValues(),
		Old:  assume.Summary(x, confidence), New: assume.Summary(y, confidence),
		Test: assume.Compare(x, y), Above: slices.Min(y.Values) > slices.Max(x.Values),
		Slowdown: slowdownOf(x.Values, y.Values, !isJudged(unit) && b.units.GetBetter(unit) > 0),
	}
	t.Rows = append(t.Rows, row)
	if fewest := min(row.Test.N1, row.Test.N2); fewest < leastSamples && row.Test.Alpha != 0 { // one exact value will do
		c.problemf("%s: %d samples of %s cannot show any difference; at least %d can, 10 do well",
			row.Name, fewest, unit, leastSamples)
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
	_, err := io.WriteString(w, wording.Visible(text.String())) // the names are whatever a file says
	return err
}

func (c *Comparison) writeTable(text *strings.Builder, t Table) {
	columns := tabwriter.NewWriter(text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(columns, "%s\t%s\t%s\tvs %s\t\t\n", t.Unit, c.OldLabel, c.NewLabel, c.OldLabel)
	class := benchunit.ClassOf(t.Unit)
	for _, row := range t.Rows {
		scale := benchunit.CommonScale([]float64{row.Old.Center, row.New.Center}, class)
		fmt.Fprintf(columns, "%s\t%s ± %s\t%s ± %s\t%s\t(%s)\t\n", row.Name,
			short(scale.Format(row.Old.Center)), short(row.Old.PctRangeString()),
			short(scale.Format(row.New.Center)), short(row.New.PctRangeString()),
			short(row.Test.FormatDelta(row.Old.Center, row.New.Center)), row.Test)
	}
	_ = columns.Flush() // a Builder takes everything
	text.WriteByte('\n')
}

var longNumber = regexp.MustCompile(`[0-9]{16,}(\.[0-9]+)?`)

// short returns a text with an exponent in each number of more digits than a measurement can have: a value of 1e308
// would else make its column 300 characters wide.
func short(text string) string {
	return longNumber.ReplaceAllStringFunc(text, func(digits string) string {
		value, _ := strconv.ParseFloat(digits, 64) // digits alone are always a number
		return strconv.FormatFloat(value, 'g', 4, 64)
	})
}
