package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/suite/floor"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/words"
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
	return words.Line(conformance.NameOf(name, reading))
}

// nameOf returns what a result is called in a list.
func nameOf(result conformance.Result) string { return withReading(result.Case, result.Reading) }

// columnsOf returns the heads of a table's counts. What an adapter broke has a column where there is such a thing.
func columnsOf(r *conformance.Report) []string {
	if r.Count(conformance.Broken) > 0 {
		return []string{"passed", "failed", "broken", "known", "no answer", "not checked"}
	}
	return []string{"passed", "failed", "known", "no answer", "not checked"}
}

// countsOf returns what stands below these heads.
func countsOf(r *conformance.Report, results []conformance.Result) []int {
	c := tally(results)
	unanswered := c[conformance.Faulty] + c[conformance.Undecided]
	counts := []int{c[conformance.Passed], c[conformance.Failed], c[conformance.Known], unanswered, c[conformance.Skipped]}
	if r.Count(conformance.Broken) > 0 {
		return slices.Insert(counts, 2, c[conformance.Broken])
	}
	return counts
}

// table adds how many results of each detector and reading have which status.
func (p *page) table() {
	columns := append([]string{"detector", "reading"}, columnsOf(p.r)...)
	if hasFloor(p.r) {
		columns = append(columns, "score", "floor")
	}
	offered, others := p.rows()
	if len(others) > 0 {
		offered = append(offered, together(others))
	}
	rows := [][]string{columns}
	for _, part := range offered {
		rows = append(rows, cells(p.r, part)[:len(columns)])
	}
	tooWide := func(line string) bool { return utf8.RuneCountInString(line) > p.options.width() }
	lines := aligned(rows, 2)
	for gap := 2; gap > 0 && slices.ContainsFunc(lines, tooWide); gap-- {
		lines = aligned(withoutIdle(rows), gap)
	}
	for _, line := range lines {
		p.add(line)
	}
}

// aligned returns a line for each row and an empty one, with the cells of a column below each other, and so many blanks
// between columns.
func aligned(rows [][]string, gap int) []string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, gap, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	w.Flush() // into a strings.Builder, which never fails
	return strings.Split(b.String(), "\n")
}

// withoutIdle returns rows without the columns of statuses that nothing has, and without the floor, for lines that are
// short.
func withoutIdle(rows [][]string) [][]string {
	const first = 3 // after passed
	left := make([][]string, len(rows))
	for column, head := range rows[0] {
		isIdle := func(row []string) bool { return row[column] == "0" }
		idle := column >= first && !slices.ContainsFunc(rows[1:], func(row []string) bool { return !isIdle(row) })
		if idle || head == "floor" {
			continue
		}
		for i, row := range rows {
			left[i] = append(left[i], row[column])
		}
	}
	return left
}

// rows splits the parts of the table into those that get a row each and those that get one together, since the port
// offers none of them. A single one would gain nothing by that.
func (p *page) rows() (offered, others []group) {
	all := groupBy(p.r.Results, partOf)
	for _, part := range all {
		readings, known := offerOf(p.r.Port, part.results[0].Detector)
		isOffered := known && slices.Contains(readings, part.results[0].Reading)
		if isOffered || tally(part.results)[conformance.Skipped] < len(part.results) {
			offered = append(offered, part)
		} else {
			others = append(others, part)
		}
	}
	if len(others) < 2 || len(offered) == 0 {
		return all, nil
	}
	return offered, others
}

// together joins parts into one row; which detectors they are, stands under NOT CHECKED.
func together(parts []group) group {
	results := flat(parts)
	for i := range results {
		results[i].Detector, results[i].Reading = "others", ""
	}
	return group{results: results}
}

// cells returns what a row says of the results of one detector in one reading, in the order of the columns.
func cells(r *conformance.Report, part group) []string {
	first := part.results[0]
	row := []string{detectorOf(first), words.Line(cmp.Or(string(first.Reading), "-"))}
	for _, n := range countsOf(r, part.results) {
		row = append(row, strconv.Itoa(n))
	}
	return append(row, score(part.results), floorOf(first))
}

// hasFloor reports whether the published floor is that of the suite which was run, whole: a part of it, be it what a port
// has less than all of, or another suite, has another floor.
func hasFloor(r *conformance.Report) bool {
	whole := !slices.ContainsFunc(r.Port.Detectors, func(o conformance.OfferInfo) bool {
		return o.Rules != nil || o.Members != nil || o.Settings != nil
	})
	return whole && r.Suite.Selected == r.Suite.Total && r.Suite.UnselectedLaws == 0 && r.Suite.Digest == floor.Published().Digest
}

// score returns the share of the cases asked that passed. Refusals and laws do not count, as they do not for the floor.
func score(results []conformance.Result) string {
	counted := slices.DeleteFunc(slices.Clone(results), func(r conformance.Result) bool { return !floor.CountsByID(r.Case) })
	c := tally(counted)
	asked := len(counted) - c[conformance.Skipped]
	if asked == 0 {
		return "-"
	}
	return percent(100 * float64(c[conformance.Passed]) / float64(asked))
}

// floorOf returns the share that a port passes which only guesses.
func floorOf(result conformance.Result) string {
	s, ok := floor.Published().Score(result.Detector, result.Reading)
	if !ok {
		return "-"
	}
	return percent(s.Percent())
}

// percent cuts a share to a whole number, so that 100 % means all.
func percent(share float64) string { return fmt.Sprintf("%d %%", int(share)) }
