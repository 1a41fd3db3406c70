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
	"github.com/loopstone/loopstone/spec/words"
)

// Trend is how the tests of one port went from one report to a later one.
type Trend struct {
	then, now *conformance.Report
	moves     []move
}

// move is how one test went, also one that did not change.
type move struct {
	conformance.Result // of the later report, or of the earlier one if the later does not have the test
	from, to           state
}

// state is what a report knows of a test.
type state int

const (
	absent state = iota // the report does not have it
	open                // it was not checked, or not decided
	wrong
	right
)

func stateOf(s conformance.Status) state {
	switch {
	case s == conformance.Passed:
		return right
	case mustFail(s) || s == conformance.Broken:
		return wrong
	default:
		return open
	}
}

// turn is a kind of change, and a column of the table.
type turn struct {
	head     string
	from, to []state
}

var (
	mended   = turn{"mended", []state{wrong}, []state{right}}
	worsened = turn{"broken", []state{right}, []state{wrong}}
	added    = turn{"new", []state{absent}, []state{open, wrong, right}}
	gone     = turn{"gone", []state{open, wrong, right}, []state{absent}}
	taken    = turn{"newly checked", []state{open}, []state{wrong, right}}
	dropped  = turn{"no longer checked", []state{wrong, right}, []state{open}}
	revealed = turn{"new or newly checked, and failing", []state{absent, open}, []state{wrong}} // no column
)

func (t turn) of(moves []move) []move {
	return words.Among(moves, func(m move) bool { return slices.Contains(t.from, m.from) && slices.Contains(t.to, m.to) })
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
		problems = append(problems, fmt.Errorf("the reports are of two ports, %s and %s", then.Port.Name, now.Port.Name))
	}
	if !reflect.DeepEqual(selects(then), selects(now)) {
		problems = append(problems,
			errors.New("the runs asked for different tests, by --cases, --laws, --no-properties or a selection"))
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("compare reports: %w", errors.Join(problems...))
	}
	return &Trend{then, now, movesOf(then, now)}, nil
}

// selects returns the settings that decide which tests there are.
func selects(r *conformance.Report) conformance.Settings {
	s := r.Settings
	return conformance.Settings{Selection: s.Selection, Folder: s.Folder, NoLaws: s.NoLaws, LawsAlone: s.LawsAlone}
}

func movesOf(then, now *conformance.Report) []move {
	before := map[string]state{}
	for _, r := range then.Results {
		before[nameOf(r)] = stateOf(r.Status)
	}
	var moves []move
	has := map[string]bool{}
	for _, r := range now.Results {
		has[nameOf(r)] = true
		moves = append(moves, move{r, before[nameOf(r)], stateOf(r.Status)})
	}
	for _, r := range then.Results {
		if !has[nameOf(r)] {
			moves = append(moves, move{r, stateOf(r.Status), absent})
		}
	}
	return moves
}

// Outcome is not conformant if a test that passed fails now, undecided if one that was checked is not checked any more,
// else conformant, whatever failed before and still fails.
func (t *Trend) Outcome() conformance.Outcome {
	switch {
	case len(worsened.of(t.moves)) > 0:
		return conformance.NotConformant
	case len(dropped.of(t.moves)) > 0:
		return conformance.NotDecided
	default:
		return conformance.Conformant
	}
}

// Write prints the trend: both runs, the scores and changes of each detector, and the names of the tests that need a
// look, all of them if it is verbose.
func (t *Trend) Write(w io.Writer, verbose bool) error {
	lines := slices.Concat(aligned([][]string{runRow("then", t.then), runRow("now", t.now)}), aligned(t.table()))
	if len(gone.of(t.moves)) > 0 {
		lines = append(lines, "The scores count the cases that the suite of this loopstone has.", "")
	}
	for _, kind := range []turn{worsened, dropped, revealed, mended} {
		lines = append(lines, listed(kind, t.moves, verbose)...)
	}
	_, err := fmt.Fprintln(w, strings.TrimRight(strings.Join(lines, "\n"), "\n"))
	return err
}

func runRow(when string, r *conformance.Report) []string {
	return []string{
		when, words.Line(r.Port.Name + " " + r.Port.Version), fmt.Sprintf("suite %s (digest %s)",
			words.Line(r.Suite.Version), words.Line(r.Suite.Digest)),
		fmt.Sprintf("%d of %s passed", r.Count(conformance.Passed),
			count(len(r.Results)-r.Count(conformance.Skipped), "test")),
	}
}

// table has a row for each detector and reading that one of the runs checked.
func (t *Trend) table() [][]string {
	columns := []turn{mended, worsened, added, gone}
	for _, rare := range []turn{taken, dropped} {
		if len(rare.of(t.moves)) > 0 {
			columns = append(columns, rare)
		}
	}
	head := []string{"detector", "reading", "score then", "score now"}
	rows := [][]string{append(head, words.By(columns, func(c turn) string { return c.head })...)}
	for _, part := range groupBy(slices.Concat(t.now.Results, t.then.Results), partOf) {
		isIn := func(r conformance.Result) bool { return partOf(r) == part.key }
		moves := words.Among(t.moves, func(m move) bool { return isIn(m.Result) })
		if !slices.ContainsFunc(moves, func(m move) bool { return max(m.from, m.to) > open }) {
			continue // neither run checked it
		}
		first := part.results[0]
		row := []string{
			detectorOf(first), words.Line(cmp.Or(string(first.Reading), "-")),
			score(words.Among(t.then.Results, isIn)), score(words.Among(t.now.Results, isIn)),
		}
		for _, c := range columns {
			row = append(row, strconv.Itoa(len(c.of(moves))))
		}
		rows = append(rows, row)
	}
	return rows
}

// listed returns the names of the tests that went so, each with its first clause.
func listed(kind turn, moves []move, verbose bool) []string {
	moves = kind.of(moves)
	if len(moves) == 0 {
		return nil
	}
	lines := []string{fmt.Sprintf("%s: %d", kind.head, len(moves))}
	left := len(moves) - maxNames
	if left > 0 && !verbose {
		moves = moves[:maxNames]
	}
	rows := make([][]string, len(moves))
	for i, m := range moves {
		rows[i] = []string{"  " + words.Line(m.FirstClause()), nameOf(m.Result)}
	}
	lines = append(lines, aligned(rows)...)
	if left > 0 && !verbose {
		lines[len(lines)-1] = fmt.Sprintf("  and %d more; --verbose names all", left)
		lines = append(lines, "")
	}
	return lines
}
