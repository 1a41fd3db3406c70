package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
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
	return words.Line((&conformance.Result{Case: name, Reading: reading}).Name())
}

// nameOf returns what a result is called in a list.
func nameOf(result conformance.Result) string { return withReading(result.Case, result.Reading) }

// counted are the columns of a table: each counts the results of some statuses.
var counted = []struct {
	head     string
	statuses []conformance.Status
}{
	{"passed", []conformance.Status{conformance.Passed}},
	{"failed", []conformance.Status{conformance.Failed}},
	{"broken", []conformance.Status{conformance.Broken}},
	{"known", []conformance.Status{conformance.Known}},
	{"no answer", []conformance.Status{conformance.Faulty, conformance.Undecided}},
	{"not checked", []conformance.Status{conformance.Skipped}},
}

// columnsOf returns the heads of a table's counts: passed, failed, and what the report has results of.
func columnsOf(r *conformance.Report) []string {
	var heads []string
	for i, column := range counted {
		if i < 2 || len(withStatus(r.Results, column.statuses...)) > 0 {
			heads = append(heads, column.head)
		}
	}
	return heads
}

// countsOf returns what stands below these heads for some of the report's results.
func countsOf(r *conformance.Report, results []conformance.Result) []int {
	heads, counts := columnsOf(r), []int{}
	for _, column := range counted {
		if slices.Contains(heads, column.head) {
			counts = append(counts, len(withStatus(results, column.statuses...)))
		}
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
	for _, line := range aligned(rows) {
		p.add(line)
	}
}

// aligned returns a line for each row and an empty one, with the cells of a column below each other.
func aligned(rows [][]string) []string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	w.Flush() // into a strings.Builder, which never fails
	return strings.Split(b.String(), "\n")
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

// hasFloor reports whether the published floor is that of the suite which was run, whole: a part of it, be it what a
// port has less than all of, or another suite, has another floor.
func hasFloor(r *conformance.Report) bool {
	whole := !slices.ContainsFunc(r.Port.Detectors, func(o conformance.OfferInfo) bool {
		return o.Rules != nil || o.Members != nil || o.Settings != nil
	})
	return whole && r.Suite.Selected == r.Suite.Total && r.Suite.UnselectedLaws == 0 &&
		r.Suite.Digest == cases.PublishedFloor().Digest
}

// score returns the share of the cases asked that passed. Refusals and laws do not count, as they do not for the floor.
func score(results []conformance.Result) string {
	counted := slices.DeleteFunc(slices.Clone(results),
		func(r conformance.Result) bool { return !cases.CountsByID(r.Case) })
	c := tally(counted)
	asked := len(counted) - c[conformance.Skipped]
	if asked == 0 {
		return "-"
	}
	return percent(100 * float64(c[conformance.Passed]) / float64(asked))
}

// floorOf returns the share that a port passes which only guesses.
func floorOf(result conformance.Result) string {
	s, ok := cases.PublishedFloor().Score(result.Detector, result.Reading)
	if !ok {
		return "-"
	}
	return percent(s.Percent())
}

// percent cuts a share to a whole number, so that 100 % means all.
func percent(share float64) string { return fmt.Sprintf("%d %%", int(share)) }
