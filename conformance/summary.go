package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/lists"
)

// firstFailures returns the names of the failures that are told whole: the first of a case, and the first of a law.
func (r *Report) firstFailures() (names []string) {
	ofCase, ofLaw := false, false
	for _, group := range r.ByClause() {
		for _, result := range group.Results {
			told := &ofCase
			if result.isOfLaw() {
				told = &ofLaw
			}
			if !*told {
				names = append(names, result.Name())
			}
			*told = true
		}
	}
	for _, result := range r.Results { // what has no clause to blame
		if result.Status != Failed && isWrong(result) && !ofCase {
			names, ofCase = append(names, result.Name()), true
		}
	}
	return names
}

func (r *Result) isOfLaw() bool { return cases.Case{Tags: r.Tags}.IsLaw() }

// mostCauses bounds the lines of a summary, so that it fits a page.
const mostCauses = 15

// summary says how a port did: a line for each detector and reading, and one for each cause of failures; those that
// are told elsewhere are marked.
func (r *Report) summary(told []string) string {
	var b strings.Builder
	for _, results := range lists.Grouped(r.Results, Result.part) {
		if line := scoreOf(results); line != "" {
			fmt.Fprintf(&b, "\n  %s: %s", nameOf(string(results[0].Detector), results[0].Reading), line)
		}
	}
	groups := r.ByClause()
	for _, group := range groups[:min(mostCauses, len(groups))] {
		first := group.Results[0]
		line := first.Name()
		if n := len(group.Results); n > 1 {
			line += fmt.Sprintf(" and %d more", n-1)
		}
		if slices.Contains(told, first.Name()) {
			line += ", shown above"
		} else if first.Failure != nil {
			line += ": " + cut(first.Brief())
		}
		fmt.Fprintf(&b, "\n  %-6s %s", group.Clause, line)
	}
	if more := len(groups) - mostCauses; more > 0 {
		fmt.Fprintf(&b, "\n  and %d more clauses; go test -v shows every failure in full", more)
	}
	return r.Outcome().String() + b.String()
}

// scoreOf counts results of one detector in one reading; it is empty where none could be asked.
func scoreOf(results []Result) string {
	count := map[Status]int{}
	missing := map[string]int{}
	for _, r := range results {
		count[r.Status]++
		for _, name := range r.missing() {
			missing[name]++
		}
	}
	asked := len(results) - count[Skipped]
	if asked == 0 {
		return ""
	}
	text := fmt.Sprintf("%d of %d tests passed, a score of %d %%", count[Passed], asked, 100*count[Passed]/asked)
	if count[Known] > 0 {
		text += fmt.Sprintf("; %d known to fail", count[Known])
	}
	if count[Skipped] > 0 {
		text += fmt.Sprintf("; %d not checked for want of %s", count[Skipped],
			strings.Join(slices.Sorted(maps.Keys(missing)), ", "))
	}
	return text
}
