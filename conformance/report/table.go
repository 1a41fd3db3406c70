package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// statuses lists every status, in the order of the tables.
var statuses = []conformance.Status{
	conformance.Passed, conformance.Failed, conformance.Known,
	conformance.Broken, conformance.Faulty, conformance.Undecided, conformance.Skipped,
}

// tally returns how many results have each status; a status that none has counts 0.
func tally(results []conformance.Result) map[conformance.Status]int {
	counts := map[conformance.Status]int{}
	for _, s := range statuses {
		counts[s] = 0
	}
	for _, result := range results {
		counts[result.Status]++
	}
	return counts
}

// withReading adds the reading to a name, where there is one.
func withReading(name string, reading spec.Reading) string {
	return wording.Line((&conformance.Result{Case: name, Reading: reading}).Name())
}

// nameOf returns what a result is called in a list.
func nameOf(result conformance.Result) string { return withReading(result.Case, result.Reading) }

// column counts the results of some statuses or, of two ports that are compared, of some changes.
type column struct {
	head     string
	statuses []conformance.Status
	changes  []conformance.Change // the empty one is of results that do not differ
}

// columnsOf returns the columns of a table. The first two are always shown, of a comparison the first three.
func columnsOf(r *conformance.Report) (columns []column, always int) {
	ends := []column{
		{head: "broken", statuses: []conformance.Status{conformance.Broken}},
		{head: "known", statuses: []conformance.Status{conformance.Known}},
		{head: "no answer", statuses: []conformance.Status{conformance.Faulty, conformance.Undecided}},
		{head: "not checked", statuses: []conformance.Status{conformance.Skipped}},
	}
	passed, failed := []conformance.Status{conformance.Passed}, []conformance.Status{conformance.Failed}
	if r.Settings.Against == nil {
		return append([]column{{head: "passed", statuses: passed}, {head: "failed", statuses: failed}}, ends...), 2
	}
	ends[0].head = "adapter"
	return append([]column{
		{"agree", passed, []conformance.Change{""}},
		{"fixed", passed, []conformance.Change{conformance.Fixed}},
		{"broken", failed, []conformance.Change{conformance.Regressed}},
		{"both wrong", failed, []conformance.Change{conformance.BothWrong}},
		{"not specified", failed, []conformance.Change{conformance.Unspecified}},
	}, ends...), 3
}

// count returns how many of the results belong to the column.
func (c column) count(results []conformance.Result) int {
	return lists.Count(results, func(r conformance.Result) bool {
		return slices.Contains(c.statuses, r.Status) && (c.changes == nil || slices.Contains(c.changes, r.Differs()))
	})
}

// tableOf returns the rows of a table, its head first: how many results of each part have which status. Of the columns
// it has those that are always shown, and what the report has results of.
func tableOf(r *conformance.Report, parts []group) [][]string {
	var shown []column
	head := []string{"detector", "reading"}
	columns, always := columnsOf(r)
	for i, c := range columns {
		if i < always || c.count(r.Results) > 0 {
			shown, head = append(shown, c), append(head, c.head)
		}
	}
	rows := [][]string{head}
	for _, part := range parts {
		first := part.results[0]
		row := []string{detectorOf(first), wording.Line(cmp.Or(string(first.Reading), "-"))}
		for _, c := range shown {
			row = append(row, strconv.Itoa(c.count(part.results)))
		}
		rows = append(rows, row)
	}
	return rows
}

// table adds how many results of each detector and reading have which status, and the score beside the floor.
func (p *page) table() {
	parts := p.parts()
	rows := tableOf(p.r, parts)
	if scores := p.scores(parts); scores != nil {
		rows[0] = append(rows[0], "score", "floor")
		for i, part := range parts {
			rows[i+1] = append(rows[i+1], scores[i], p.floorOf(part.results[0]))
		}
	}
	for _, line := range fitted(rows) {
		p.add(line)
	}
}

// A table is as wide as a terminal, in characters: a detector with a longer name is cut, down to as much as the longest
// name of the specification has.
const (
	tableWidth    = 80
	leastDetector = len("fingerprint")
)

// fitted returns the lines of a table that fit a terminal.
func fitted(rows [][]string) []string {
	over := widthOf(rows, usualGap) - tableWidth
	if over <= 0 {
		return aligned(rows, usualGap)
	}
	longest := 0
	for _, row := range rows {
		longest = max(longest, utf8.RuneCountInString(row[0]))
	}
	for _, row := range rows {
		row[0] = wording.Cut(row[0], max(longest-over, leastDetector))
	}
	if widthOf(rows, usualGap) > tableWidth {
		return aligned(rows, 1)
	}
	return aligned(rows, usualGap)
}

// usualGap is how many blanks stand between two columns.
const usualGap = 2

// widthOf returns how many characters the longest line of a table has.
func widthOf(rows [][]string, gap int) int {
	widest := 0
	for _, line := range aligned(rows, gap) {
		widest = max(widest, utf8.RuneCountInString(line))
	}
	return widest
}

// aligned returns a line for each row and an empty one, with the cells of a column below each other, and that many
// blanks between columns.
func aligned(rows [][]string, gap int) []string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, gap, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	w.Flush() // into a strings.Builder, which never fails
	return strings.Split(b.String(), "\n")
}

// parts returns what gets a row each: the detectors in their readings. Several that the port does not offer get one
// together; which they are, stands under NOT CHECKED.
func (p *page) parts() []group {
	all := groupBy(p.r.Results, partOf)
	offered, others := lists.Partition(all, func(part group) bool {
		offer, _ := p.r.Port.Offer(part.results[0].Detector)
		return slices.Contains(offer.Readings, part.results[0].Reading) ||
			tally(part.results)[conformance.Skipped] < len(part.results)
	})
	if len(others) < 2 || len(offered) == 0 {
		return all
	}
	together := flat(others)
	for i := range together {
		together[i].Detector, together[i].Reading = "others", ""
	}
	return append(offered, group{results: together})
}

// noScore stands where nothing counts for a score, or no floor is known.
const noScore = "-"

// scores returns the score of each part, or nothing if nothing counts for a score, or the run was not one of the whole
// built-in suite: a part of the suite, and another suite, have another floor.
func (p *page) scores(parts []group) []string {
	suite, settings := p.r.Suite, p.r.Settings
	if suite.Selected < suite.Total || suite.UnselectedLaws > 0 || isPartial(settings) || settings.Shard != "" {
		return nil
	}
	scores := lists.Map(parts, func(g group) string { return score(g.results) })
	if !slices.ContainsFunc(scores, func(score string) bool { return score != noScore }) {
		return nil
	}
	return scores
}

// score returns the share of the cases asked that passed. Refusals and laws do not count, as they do not for the floor.
func score(results []conformance.Result) string {
	counted := slices.DeleteFunc(slices.Clone(results),
		func(r conformance.Result) bool { return !cases.CountsByID(r.Case) })
	c := tally(counted)
	asked := len(counted) - c[conformance.Skipped]
	if asked == 0 {
		return noScore
	}
	return percent(100 * float64(c[conformance.Passed]) / float64(asked))
}

// floorOf returns the share that a port passes which only guesses: of a detector of which the port has less than all, a
// port that has the same.
func (p *page) floorOf(result conformance.Result) string {
	floor := cases.PublishedFloor()
	if offer, _ := p.r.Port.Offer(result.Detector); offer.IsPart() {
		if p.options.Floor == nil {
			return noScore
		}
		floor = p.options.Floor(offer)
	}
	s, ok := floor.Score(result.Detector, result.Reading)
	if !ok {
		return noScore
	}
	return percent(s.Percent())
}

// percent cuts a share to a whole number, so that 100 % means all.
func percent(share float64) string { return fmt.Sprintf("%d %%", int(share)) }
