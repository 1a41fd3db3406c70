package report

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
)

// Trend is how the tests of one port went from one report to a later one.
type Trend struct {
	then, now   *conformance.Report
	differences []Difference
}

// state is what a report knows of a test.
type state int

const (
	absent state = iota // the report does not have it
	open                // it was not checked, or not decided
	wrong
	right
)

func stateOf(r *conformance.Result) state {
	switch {
	case r == nil:
		return absent
	case r.Status == conformance.Passed:
		return right
	case r.Status.IsFailure() || r.Status == conformance.Broken:
		return wrong
	default:
		return open
	}
}

// turn is a kind of difference between two runs of a test, and a column of the table.
type turn struct {
	head     string
	from, to []state
}

var (
	fixed    = turn{"fixed", []state{wrong}, []state{right}}
	worsened = turn{"broken", []state{right}, []state{wrong}}
	added    = turn{"new", []state{absent}, []state{open, wrong, right}}
	gone     = turn{"gone", []state{open, wrong, right}, []state{absent}}
	taken    = turn{"newly checked", []state{open}, []state{wrong, right}}
	dropped  = turn{"no longer checked", []state{wrong, right}, []state{open}}
	revealed = turn{"new or newly checked, and failing", []state{absent, open}, []state{wrong}} // no column
)

// of returns the tests that took the turn, as the later report has them, or the earlier one if the later does not.
func (t turn) of(differences []Difference) (tests []conformance.Result) {
	for _, d := range differences {
		if slices.Contains(t.from, stateOf(d.Before)) && slices.Contains(t.to, stateOf(d.After)) {
			tests = append(tests, *cmp.Or(d.After, d.Before))
		}
	}
	return tests
}

// NewTrend compares two reports of a port, of the same suite or of two versions of it. They must be of whole runs that
// asked for the same; else the error says what differs.
func NewTrend(then, now *conformance.Report) (*Trend, error) {
	var problems []error
	for i, r := range []*conformance.Report{then, now} {
		switch {
		case len(r.Results) == 0 || r.Results[0].IsNotStarted():
			problems = append(problems, fmt.Errorf("report %d has no tests", i+1))
		case r.Settings.Shard != "":
			problems = append(problems,
				fmt.Errorf("report %d is part %s of a run; merge the parts first", i+1, r.Settings.Shard))
		case r.Settings.Against != nil:
			problems = append(problems, fmt.Errorf("report %d compares two ports", i+1))
		}
	}
	if then.Port.Name != now.Port.Name {
		problems = append(problems, fmt.Errorf("the reports are of two ports, %s and %s",
			wording.Line(then.Port.Name), wording.Line(now.Port.Name)))
	}
	if !reflect.DeepEqual(selects(then), selects(now)) {
		problems = append(problems,
			errors.New("the runs selected different tests, by --cases, --laws, --no-properties or a selection"))
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("compare reports: %w", errors.Join(problems...))
	}
	return &Trend{then, now, Compare(then, now)}, nil
}

// selects returns the settings that decide which tests there are.
func selects(r *conformance.Report) conformance.Settings {
	s := r.Settings
	return conformance.Settings{Selection: s.Selection, Folder: s.Folder, NoLaws: s.NoLaws, LawsAlone: s.LawsAlone}
}

// parts returns what the port no longer declares, and what it declares now.
func (t *Trend) parts() (lost, gained []conformance.Part) {
	for _, d := range t.differences {
		switch {
		case d.isLost():
			lost = append(lost, *d.Part)
		case d.Part != nil:
			gained = append(gained, *d.Part)
		}
	}
	return lost, gained
}

// Outcome is not conformant if a test that passed fails now, undecided if one that was checked is not checked any more
// or the port does not declare any more what it did, else conformant, whatever failed before and still fails.
func (t *Trend) Outcome() conformance.Outcome {
	switch {
	case len(worsened.of(t.differences)) > 0:
		return conformance.NotConformant
	case len(dropped.of(t.differences)) > 0, slices.ContainsFunc(t.differences, Difference.isLost):
		return conformance.NotDecided
	default:
		return conformance.Conformant
	}
}

// Write prints the trend: both runs, the scores and changes of each detector, and the names of the tests that need a
// look, all of them if it is verbose.
func (t *Trend) Write(w io.Writer, verbose bool) error {
	runs := [][]string{runRow("then", t.then), runRow("now", t.now)}
	lines := slices.Concat(aligned(runs, usualGap), aligned(t.table(), usualGap))
	if len(gone.of(t.differences)) > 0 {
		lines = append(lines, "The scores count the cases that the suite of this loopstone has.", "")
	}
	lost, gained := t.parts()
	for _, each := range []struct {
		head  string
		parts []conformance.Part
	}{{"no longer declared", lost}, {"newly declared", gained}} {
		if len(each.parts) > 0 {
			lines = append(lines, fmt.Sprintf("%s: %d", each.head, len(each.parts)))
			lines = append(lines, lists.Map(partLines(each.parts), func(line string) string { return "  " + line })...)
			lines = append(lines, "")
		}
	}
	for _, kind := range []turn{worsened, dropped, revealed, fixed} {
		lines = append(lines, listed(kind.head, kind.of(t.differences), verbose)...)
	}
	_, err := fmt.Fprintln(w, strings.TrimRight(strings.Join(lines, "\n"), "\n"))
	return err
}

func runRow(when string, r *conformance.Report) []string {
	tests, protocol := sharesOf(r)
	return []string{
		when, wording.Line(r.Port.Name + " " + r.Port.Version), fmt.Sprintf("suite %s (digest %s)",
			wording.Line(r.Suite.Version), wording.Line(r.Suite.Digest)),
		withProtocol(fmt.Sprintf("%d of %s passed", tests.passed, wording.Count(tests.ran, "test")), protocol),
	}
}

// table has a row for each detector and reading that one of the runs checked.
func (t *Trend) table() [][]string {
	columns := []turn{fixed, worsened, added, gone}
	for _, rare := range []turn{taken, dropped} {
		if len(rare.of(t.differences)) > 0 {
			columns = append(columns, rare)
		}
	}
	head := []string{"detector", "reading", "score then", "score now"}
	rows := [][]string{append(head, lists.Map(columns, func(c turn) string { return c.head })...)}
	for _, part := range groupBy(slices.Concat(t.now.Results, t.then.Results), partOf) {
		isChecked := func(r conformance.Result) bool { return stateOf(&r) > open }
		if !slices.ContainsFunc(part.results, isChecked) {
			continue // neither run checked it
		}
		isIn := func(r conformance.Result) bool { return partOf(r) == part.key }
		first := part.results[0]
		row := []string{
			detectorOf(first), wording.Line(cmp.Or(string(first.Reading), "-")),
			score(lists.Filter(t.then.Results, isIn)), score(lists.Filter(t.now.Results, isIn)),
		}
		for _, c := range columns {
			row = append(row, strconv.Itoa(lists.Count(c.of(t.differences), isIn)))
		}
		rows = append(rows, row)
	}
	return rows
}

// listed returns the names of tests below a head, each with its first clause.
func listed(head string, tests []conformance.Result, verbose bool) []string {
	if len(tests) == 0 {
		return nil
	}
	lines := []string{fmt.Sprintf("%s: %d", head, len(tests))}
	left := len(tests) - maxNames
	if left > 0 && !verbose {
		tests = tests[:maxNames]
	}
	lines = append(lines, aligned(lists.Map(tests, func(r conformance.Result) []string {
		return []string{"  " + wording.Line(r.FirstClause()), nameOf(r)}
	}), usualGap)...)
	if left > 0 && !verbose {
		lines[len(lines)-1] = fmt.Sprintf("  and %d more; --verbose names all", left)
		lines = append(lines, "")
	}
	return lines
}
