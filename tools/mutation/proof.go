package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// purposeHead begins the sentence of a `why` that says what a case is for which kills no mutant.
const purposeHead = "No small fault shows it: "

// gross is the share of a detector's cases beyond which a mutant that they kill says nothing of any of them: most cases
// open a session, and most expect a loop.
const gross = 0.5

// proof is what the cases prove: a case proves a clause that it cites by killing a mutant of that clause.
type proof struct {
	kills   map[string]int             // how many mutants a case kills, without those that most cases kill
	clauses map[string]map[string]bool // by case: the clauses of which it kills a mutant
}

// prove finds what the cases prove by the mutants that they kill.
func (v verdict) prove(suite []cases.Case) *proof {
	size, detector := map[spec.DetectorID]int{}, map[string]spec.DetectorID{}
	p := &proof{kills: map[string]int{}, clauses: map[string]map[string]bool{}}
	for _, c := range suite {
		size[c.Detector]++
		detector[c.ID], p.clauses[c.ID] = c.Detector, map[string]bool{}
	}
	for _, o := range v.outcomes {
		if v.fates[o.ID] != killed {
			continue
		}
		killers, isGross := map[spec.DetectorID]int{}, false
		for _, id := range o.Killers {
			killers[detector[id]]++
			isGross = isGross || float64(killers[detector[id]]) > gross*float64(size[detector[id]])
		}
		for _, id := range o.Killers {
			if !isGross {
				p.kills[id]++
			}
			for _, clause := range o.Clauses {
				p.clauses[id][clause] = true
			}
		}
	}
	return p
}

// check returns what is wrong with what the suite proves, one problem a line: a citation that the case does not prove,
// a case that is for nothing, and a clause with the level MUST that no case proves. A case that asks for a snapshot may
// cite any clause that depends on it: how a detector writes its snapshot, only its own tests know.
func (p *proof) check(suite []cases.Case, clauses []spec.Clause) error {
	var problems []error
	proved := map[string]bool{}
	for _, c := range suite {
		if c.IsLong() { // it is judged by no mutant
			continue
		}
		for _, id := range c.Clauses {
			if p.clauses[c.ID][id] || takenAtItsWord(c) || slices.Contains(c.Needs, spec.Snapshots) && p.kills[c.ID] > 0 {
				proved[id] = true
				continue
			}
			if len(p.clauses[c.ID]) == 0 && strings.Contains(c.Why, purposeHead) { // it says itself what it is for
				continue
			}
			problems = append(problems, fmt.Errorf("%s: %s cites %s, but kills none of its mutants; it kills some of %s",
				c.Place, c.ID, id, p.of(c)))
		}
		if problem := p.purpose(c); problem != "" {
			problems = append(problems, fmt.Errorf("%s: %s %s", c.Place, c.ID, problem))
		}
	}
	for _, clause := range clauses {
		if clause.Level == spec.Must && clause.Feature != spec.Shared && !proved[clause.ID] {
			problems = append(problems, fmt.Errorf("clauses/%s:%d:1: no case proves %s, which is a MUST",
				clause.File, clause.Line, clause.ID))
		}
	}
	return errors.Join(problems...)
}

// takenAtItsWord reports whether no mutant is judged by the case. Exchanges of lines test the adapter, and the adapters
// in the tests of package conformance, each of which breaks one clause of the protocol, show that they notice; what
// several instances prove, the faults that are planted in the tests of package instances show; and what long cases
// prove, the ports in the tests of package profile that go wrong late, or of large events.
func takenAtItsWord(c cases.Case) bool {
	return c.Detector == cases.Protocol || c.Instances > 0 || c.IsLong()
}

// of lists the clauses that a case could cite.
func (p *proof) of(c cases.Case) string {
	return strings.Join(slices.Sorted(maps.Keys(p.clauses[c.ID])), ", ")
}

// purpose says what is wrong with what a case is for: it kills nothing and does not say what else it is for, or it says
// so and kills something. An example of a document stands for itself. It returns an empty text where nothing is wrong.
func (p *proof) purpose(c cases.Case) string {
	saysSo, kills := strings.Contains(c.Why, purposeHead), p.kills[c.ID]
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
