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
	"golang.org/x/perf/benchproc"
	"golang.org/x/perf/benchunit"
)

// confidence of the intervals around the medians.
const confidence = 0.95

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

// place is where a sample belongs: a benchmark and one of its units.
type place struct{ table, row benchproc.Key }

// Compare reads both sides and compares what they have in common. Its error says that one of them is no result at all.
func Compare(older, newer Source, options Options) (*Comparison, error) {
	r, err := newReader(options)
	if err != nil {
		return nil, err
	}
	c := &Comparison{OldLabel: older.Label, NewLabel: newer.Label}
	a, err := r.read(older)
	if err != nil {
		return nil, err
	}
	b, err := r.read(newer)
	if err != nil {
		return nil, err
	}
	c.checkMachines(a, b, options)
	c.checkSides(r, a, b)
	for _, table := range r.tables {
		if t := r.compare(table, a, b); len(t.Rows) > 0 {
			c.Tables = append(c.Tables, t)
			c.checkCounts(t)
		}
	}
	return c, nil
}

func (c *Comparison) problemf(format string, args ...any) {
	c.Problems = append(c.Problems, fmt.Sprintf(format, args...))
}

func (c *Comparison) checkMachines(a, b *side, options Options) {
	if options.AnyMachine || a.machines() == b.machines() {
		return
	}
	c.problemf("they come from different machines (%s; %s): their times say nothing about the programs", a.machines(), b.machines())
}

// checkSides finds the benchmarks that only one side has. Of a benchmark that is missing whole, its name is enough.
func (c *Comparison) checkSides(r *reader, a, b *side) {
	for _, s := range []struct {
		label     string
		has, lack *side
	}{{c.OldLabel, a, b}, {c.NewLabel, b, a}} {
		var only []string
		for p := range s.has.samples {
			// Results of before CPU time was taken have wall time.
			if _, both := s.lack.samples[p]; !both && p.table.Get(r.unit) != CPUTime {
				only = append(only, r.title(p))
			}
		}
		slices.Sort(only)
		for _, name := range slices.Compact(only) {
			c.problemf("only in %s: %s", s.label, name)
		}
	}
}

// leastSamples is how many samples a side must have for the U-test to be able to find a difference at all.
const leastSamples = 4

func (c *Comparison) checkCounts(t Table) {
	for _, row := range t.Rows {
		exact := row.Test.Alpha == 0
		if fewest := min(row.Test.N1, row.Test.N2); fewest < leastSamples && !exact {
			c.problemf("%s: %d samples of %s cannot show any difference; at least %d can, 10 do well",
				row.Name, fewest, t.Unit, leastSamples)
		}
	}
}

func (r *reader) compare(table benchproc.Key, a, b *side) Table {
	unit := table.Get(r.unit)
	t := Table{Config: r.config(table), Unit: unit, Better: r.metadata.GetBetter(unit)}
	if IsTime(unit) {
		t.Better = -1
	}
	assume := r.metadata.GetAssumption(unit)
	for _, row := range r.rows {
		p := place{table, row}
		oldValues, newValues := a.samples[p], b.samples[p]
		if len(oldValues) == 0 || len(newValues) == 0 {
			continue
		}
		x, y := benchmath.NewSample(oldValues, &r.thresholds), benchmath.NewSample(newValues, &r.thresholds)
		t.Rows = append(t.Rows, Row{
			Name: strings.TrimPrefix(row.StringValues(), "Benchmark"),
			Old:  assume.Summary(x, confidence), New: assume.Summary(y, confidence),
			Test: assume.Compare(x, y), Above: slices.Min(newValues) > slices.Max(oldValues),
			Slowdown: slowdownOf(x.Values, y.Values, t.Better), Calls: [2]int{a.calls[row], b.calls[row]},
		})
	}
	return t
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
