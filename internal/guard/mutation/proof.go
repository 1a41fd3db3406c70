package mutation

import (
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// purposeHead begins the sentence of a `why` that says what a case is for which kills no mutant.
const purposeHead = "No small fault shows it: "

// gross is the share of a detector's cases beyond which a mutant that they kill says nothing of any of them: most cases
// open a session, and most expect a loop.
const gross = 0.5

// Proof is what the cases prove: a case proves a clause that it cites by killing a mutant of that clause.
type Proof struct {
	Kills   map[string]int             // how many mutants a case kills, without those that most cases kill
	Clauses map[string]map[string]bool // by case: the clauses of which it kills a mutant
}

// Prove finds what the cases prove by the mutants that they kill.
func (v *Verdict) Prove(suite []cases.Case) *Proof {
	size, detector := map[spec.DetectorID]int{}, map[string]spec.DetectorID{}
	p := &Proof{Kills: map[string]int{}, Clauses: map[string]map[string]bool{}}
	for _, c := range suite {
		size[c.Detector]++
		detector[c.ID], p.Clauses[c.ID] = c.Detector, map[string]bool{}
	}
	for _, o := range v.Outcomes {
		if v.Fates[o.ID] != Killed {
			continue
		}
		killers, isGross := map[spec.DetectorID]int{}, false
		for _, id := range o.Killers {
			killers[detector[id]]++
			isGross = isGross || float64(killers[detector[id]]) > gross*float64(size[detector[id]])
		}
		for _, id := range o.Killers {
			if !isGross {
				p.Kills[id]++
			}
			for _, clause := range o.Clauses {
				p.Clauses[id][clause] = true
			}
		}
	}
	return p
}

// Check returns what is wrong with what the suite proves, one problem a line: a citation that the case does not prove,
// and a clause with the level MUST that no case proves.
func (p *Proof) Check(suite []cases.Case, clauses []spec.Clause) []error {
	var problems []error
	proved := map[string]bool{}
	for _, c := range suite {
		for _, id := range c.Clauses {
			if p.Clauses[c.ID][id] || takenAtItsWord(c) {
				proved[id] = true
				continue
			}
			problems = append(problems, fmt.Errorf("%s: %s cites %s, but kills none of its mutants; it kills some of %s",
				c.Place, c.ID, id, p.of(c)))
		}
	}
	for _, clause := range clauses {
		if clause.Level == spec.Must && clause.Feature == "" && !proved[clause.ID] {
			problems = append(problems, fmt.Errorf("clauses/%s:%d:1: no case proves %s, which is a MUST",
				clause.File, clause.Line, clause.ID))
		}
	}
	return problems
}

// takenAtItsWord reports whether no mutant is judged by the case. Exchanges of lines test the adapter, and the adapters
// in the tests of package conformance, each of which breaks one clause of the protocol, show that they notice; what
// several instances prove, the faults that are planted in the tests of package instances show.
func takenAtItsWord(c cases.Case) bool { return c.Detector == cases.Protocol || c.Instances > 0 }

// CheckPurposes returns what is wrong with what the cases are for, one problem a line: a case that kills nothing and
// does not say what else it is for, and one that says so and kills something. An example of a document stands for
// itself.
func (p *Proof) CheckPurposes(suite []cases.Case) []error {
	var problems []error
	for _, c := range suite {
		if problem := p.purpose(c); problem != "" {
			problems = append(problems, fmt.Errorf("%s: %s %s", c.Place, c.ID, problem))
		}
	}
	return problems
}

// of lists the clauses that a case could cite.
func (p *Proof) of(c cases.Case) string {
	var ids []string
	for _, clause := range spec.Clauses() { // in their order
		if p.Clauses[c.ID][clause.ID] {
			ids = append(ids, clause.ID)
		}
	}
	return strings.Join(ids, ", ")
}

// purpose says what is wrong with what a case is for; empty where nothing is.
func (p *Proof) purpose(c cases.Case) string {
	saysSo, kills := strings.Contains(c.Why, purposeHead), p.Kills[c.ID]
	switch {
	case takenAtItsWord(c):
		return ""
	case kills == 0 && !saysSo && !c.Example:
		return fmt.Sprintf("kills no mutant, and its why does not say what it is for (%q)", purposeHead+"…")
	case kills > 0 && saysSo:
		return fmt.Sprintf("kills %d mutants, but its why says %q", kills, purposeHead+"…")
	default:
		return ""
	}
}
