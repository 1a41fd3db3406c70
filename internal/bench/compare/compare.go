package compare

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchproc"
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
}

// Changed reports whether the difference is no accident.
func (r Row) Changed() bool {
	return r.Test.P <= r.Test.Alpha && r.Old.Center != r.New.Center // exact units have P = Alpha = 0
}

// Delta returns by how much the new value is above the old one, as a fraction of it.
func (r Row) Delta() float64 {
	if r.Old.Center == r.New.Center {
		return 0
	}
	return r.New.Center/r.Old.Center - 1
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
			if _, both := s.lack.samples[p]; !both {
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
		})
	}
	return t
}
