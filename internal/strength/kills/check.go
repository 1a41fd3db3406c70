package kills

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
)

// Purpose begins the sentence of a `why` that says what a case is for which kills no mutant.
const Purpose = "No small fault shows it: "

// Check returns what is wrong with the cases by what they kill, one problem a line: a case that was not measured as it
// is, one that kills nothing and does not say what else it is for, and one that says so and kills something. An example
// of a document stands for itself. Exchanges of lines test the adapter, in which no faults are planted: what they are
// for is the protocol, and the adapters in the tests of package conformance, each of which breaks one clause of it, show
// that they notice.
func (l *List) Check(suite []cases.Case) []error {
	var problems []error
	seen := map[string]bool{}
	for _, c := range suite {
		seen[c.ID] = true
		if c.Detector == cases.Protocol {
			continue
		}
		if problem := l.problem(c); problem != "" {
			problems = append(problems, fmt.Errorf("%s: %s %s", c.Place, c.ID, problem))
		}
	}
	for id := range l.Cases {
		if !seen[id] {
			problems = append(problems, fmt.Errorf("kills.json: %s is no case any more; run: make strength", id))
		}
	}
	slices.SortStableFunc(problems, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return problems
}

// problem says what is wrong with one case; empty where nothing is.
func (l *List) problem(c cases.Case) string {
	r, known := l.Cases[c.ID]
	saysSo := strings.Contains(c.Why, Purpose)
	switch {
	case !known || r.Demand != Demand(c):
		return "was not tried on the mutants as it is now; run: make strength"
	case r.Kills == 0 && !saysSo && !c.Example:
		return fmt.Sprintf("kills no mutant, and its why does not say what it is for (%q)", Purpose+"…")
	case r.Kills > 0 && saysSo:
		return fmt.Sprintf("kills %d mutants, but its why says %q", r.Kills, Purpose+"…")
	default:
		return ""
	}
}
