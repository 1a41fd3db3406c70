package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/loopstone/loopstone/internal/suite/bench/compare"
)

// place is one line of the judgement: a benchmark and its unit.
type place struct{ benchmark, unit string }

// judge compares the base with itself and with the new program, prints a line for each benchmark, and decides.
func (m *measured) judge(s settings, out io.Writer) (int, error) {
	itself, err := compare.Compare(source("base", m.old.results), source("base again", m.again.results), compare.Options{})
	if err != nil {
		return undecided, err
	}
	base := source("base", m.old.results+m.again.results)
	c, err := compare.Compare(base, source("new", m.new.results), compare.Options{})
	if err != nil {
		return undecided, err
	}
	noise, known := map[place]compare.Slowdown{}, map[place]bool{} // the base beside itself; what is judged
	eachRow(itself, func(t compare.Table, row compare.Row) { noise[place{row.Name, t.Unit}] = row.Slowdown })
	eachRow(c, func(t compare.Table, row compare.Row) { known[place{row.Name, t.Unit}] = true })

	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "benchmark\tunit\tcalls\tbase to itself\tnew to base\t\n")
	count := map[string]int{}
	eachRow(c, func(t compare.Table, row compare.Row) {
		itself := noise[place{row.Name, t.Unit}]
		verdict := s.verdict(t, row, itself, known[place{row.Name, compare.CPUTime}])
		count[verdict]++
		if compare.IsTime(t.Unit) || verdict != "" {
			fmt.Fprintf(table, "%s\t%s\t%d, %d\t%s\t%s\t%s\n",
				row.Name, t.Unit, row.Calls[0], row.Calls[1], itself, row.Slowdown, verdict)
		}
	})
	if err := table.Flush(); err != nil {
		return undecided, fmt.Errorf("write the comparison: %w", err)
	}
	switch {
	case count[worse] > 0:
		fmt.Fprintf(out, "%d times are above the gate of %s, or allocations have grown\n", count[worse], s.gate)
		return slower, nil
	case len(c.Problems) > 0:
		return undecided, fmt.Errorf("%s", strings.Join(c.Problems, "; "))
	case count[unclear] > 0:
		const complaint = "%d times are not known well enough for a gate of %s: try again when the machine is quieter"
		return undecided, fmt.Errorf(complaint, count[unclear], s.gate)
	}
	fmt.Fprintf(out, "no benchmark is worse by more than %s\n", s.gate)
	return fine, nil
}

// The verdicts on a line; one without a word is fine.
const (
	worse   = "worse"
	unclear = "undecided"
	aside   = "not judged: the base differs from itself"
)

// verdict judges one line. A base that differs from itself by more than the gate has no part in any judgement; where
// that is wall time and the processor's time is known, the latter stands for both.
func (s settings) verdict(t compare.Table, row compare.Row, itself compare.Slowdown, cpuTimeKnown bool) string {
	most := 1 + float64(s.gate)
	restless := itself.Hi > most || itself.Lo < 1/most
	switch judgement := t.Judge(row, s.gate); {
	case compare.IsCount(t.Unit) && judgement == compare.Worse:
		return worse // noise does not allocate
	case !compare.IsTime(t.Unit), judgement == compare.Fine && !restless:
		return ""
	case restless && cpuTimeKnown && t.Unit != compare.CPUTime:
		return aside
	case restless || judgement == compare.Unclear:
		return unclear
	default:
		return worse
	}
}

func eachRow(c *compare.Comparison, f func(compare.Table, compare.Row)) {
	for _, t := range c.Tables {
		for _, row := range t.Rows {
			f(t, row)
		}
	}
}

func source(label, results string) compare.Source {
	return compare.Source{Label: label, Text: strings.NewReader(results)}
}
