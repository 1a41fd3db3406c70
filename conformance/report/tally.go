package report

import (
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/conformance"
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

// part is what a table shows in one line: the results of one detector in one reading.
type part struct {
	detector spec.DetectorID
	reading  spec.Reading
	results  []conformance.Result
}

func (p part) name() string { return withReading(string(p.detector), p.reading) }

// parts splits results by detector and reading, in the order in which these turn up.
func parts(results []conformance.Result) []part {
	var list []part
	for _, result := range results {
		i := slices.IndexFunc(list, func(p part) bool {
			return p.detector == result.Detector && p.reading == result.Reading
		})
		if i < 0 {
			i = len(list)
			list = append(list, part{detector: result.Detector, reading: result.Reading})
		}
		list[i].results = append(list[i].results, result)
	}
	return list
}

// withReading adds the reading to a name, where there is one: the cases of the protocol have none.
func withReading(name string, reading spec.Reading) string {
	if reading == "" {
		return oneLine(name)
	}
	return oneLine(fmt.Sprintf("%s (%s)", name, reading))
}

// nameOf returns what a result is called in a list.
func nameOf(result conformance.Result) string { return withReading(result.Case, result.Reading) }

// group is what results have in common, and those results.
type group struct {
	key     string
	results []conformance.Result
}

// groupBy brings results of the same key together, in the order in which the keys turn up.
func groupBy(results []conformance.Result, key func(conformance.Result) string) []group {
	var list []group
	index := map[string]int{}
	for _, result := range results {
		k := key(result)
		i, known := index[k]
		if !known {
			i = len(list)
			index[k] = i
			list = append(list, group{key: k})
		}
		list[i].results = append(list[i].results, result)
	}
	return list
}

// firstClause returns the clause that a result stands under.
func firstClause(result conformance.Result) string {
	if len(result.Clauses) == 0 {
		return "no clause"
	}
	return oneLine(result.Clauses[0])
}

// withStatus returns the results that have one of the statuses, those of the first status first.
func withStatus(results []conformance.Result, wanted ...conformance.Status) []conformance.Result {
	var list []conformance.Result
	for _, status := range wanted {
		for _, result := range results {
			if result.Status == status {
				list = append(list, result)
			}
		}
	}
	return list
}

// unanswered returns how many results say nothing about the port: its adapter is broken, the suite is, or nobody knows.
func unanswered(counts map[conformance.Status]int) int {
	return counts[conformance.Broken] + counts[conformance.Faulty] + counts[conformance.Undecided]
}

// bad returns the results that keep the port from being conformant, grouped by the clause that they break: first
// where the suite is wrong, then where the adapter is wrong, then where the port is wrong, by the clauses that explain it best, then where nobody
// knows.
func bad(r *conformance.Report) []group {
	groups := groupBy(withStatus(r.Results, conformance.Faulty, conformance.Broken), firstClause)
	for _, explained := range r.ByClause() {
		g := group{key: oneLine(explained.Clause)}
		for _, result := range explained.Results {
			result.Clauses = firstOf(result.Clauses, explained.Clause)
			g.results = append(g.results, result)
		}
		groups = append(groups, g)
	}
	return append(groups, groupBy(withStatus(r.Results, conformance.Undecided), firstClause)...)
}

// firstOf returns the clauses with one of them put first.
func firstOf(clauses []string, clause string) []string {
	list := []string{clause}
	for _, c := range clauses {
		if c != clause {
			list = append(list, c)
		}
	}
	return list
}

// runProblems returns what is wrong with the run rather than with one case, one line each: the ledger's problems, that
// nothing was checked, or that a strict run left something out. A format that knows only tests shows each as one that fails, so that no reader of it can
// take such a run for a success.
func runProblems(r *conformance.Report) []string {
	problems := ledgerProblems(r)
	if r.Outcome() != conformance.NotDecided {
		return problems
	}
	if r.Count(conformance.Skipped) == len(r.Results) {
		problems = append(problems, "nothing was checked")
	}
	if r.OnlyManners() {
		problems = append(problems, "no detector was checked, only the protocol")
	}
	if n := r.Suite.UncheckedLaws; r.Strict && n > 0 {
		problems = append(problems, fmt.Sprintf("%s on generated traces left out, against the policy of this run", count(n, "check", "checks")))
	}
	if n := len(r.Intolerable()); n > 0 {
		problems = append(problems, fmt.Sprintf("%s not checked, against the policy of this run", count(n, "case", "cases")))
	}
	return problems
}

func ledgerProblems(r *conformance.Report) []string {
	lines := make([]string, len(r.Problems))
	for i, problem := range r.Problems {
		lines[i] = oneLine(problem)
	}
	return lines
}
