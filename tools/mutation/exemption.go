package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec/strictyaml"
	"github.com/loopstone/loopstone/tools/mutation/plant"
)

// exemption says why no case can be asked to kill some mutants.
type exemption struct {
	fate    fate     // equivalent or outOfScope
	in      string   // "package", "package.Function" or "package.Type.Method"
	changes []string // as a [plant.Mutant] has them
	reason  string   // one sentence: of an equivalent mutant the proof
	place   strictyaml.Place
}

// readExemptions reads a list of exemptions. The name is used for places only; the error has every problem, one a line.
func readExemptions(name string, text []byte) ([]exemption, error) {
	doc, err := strictyaml.Parse(name, text)
	if err != nil {
		return nil, err
	}
	var list []exemption
	err = doc.Read(map[string]strictyaml.Reader{
		"equivalent": strictyaml.Each(&list, readExemption(equivalent, "proof")),
		"scope":      strictyaml.Each(&list, readExemption(outOfScope, "reason")),
	})
	return list, err
}

// readExemption reads an entry of one fate, which gives its reason under a name.
func readExemption(f fate, reason string) func(*strictyaml.Node) (exemption, error) {
	return func(n *strictyaml.Node) (exemption, error) {
		e := exemption{fate: f, place: n.Place}
		err := n.Read(map[string]strictyaml.Reader{
			"in": strictyaml.Str(&e.in), "mutants": strictyaml.Strs(&e.changes), reason: strictyaml.Str(&e.reason),
		}, "in", "mutants", reason)
		return e, err
	}
}

// covers reports whether the exemption is about the mutant.
func (e exemption) covers(m plant.Mutant) bool {
	return (e.in == m.Name() || e.in == m.Name()+"."+m.Function) && slices.Contains(e.changes, m.Change)
}

// check returns what is wrong with an exemption: it is about no mutant, about more than one by the same change, or
// about one that is killed all the same.
func (e exemption) check(outcomes []outcome) []error {
	var problems []error
	found := map[string]int{}
	for _, o := range outcomes {
		if e.covers(o.Mutant) {
			found[o.Change]++
			if o.isKilled() {
				problems = append(problems, e.problemf("%s is not %s: %s", o.Mutant, e.fate, o.death()))
			}
		}
	}
	for _, change := range e.changes {
		switch found[change] {
		case 0:
			problems = append(problems, e.problemf("%s: no such mutant: %s%s", e.in, change, e.meant(outcomes, change)))
		case 1:
		default:
			problems = append(problems, e.problemf("%s: %d mutants: %s; say in which function", e.in, found[change], change))
		}
	}
	return problems
}

// meant says which mutant of the exemption's package has nearly that change; nothing where none has.
func (e exemption) meant(outcomes []outcome, change string) string {
	var changes []string
	places := map[string]string{}
	name, _, _ := strings.Cut(e.in, ".")
	for _, o := range outcomes {
		if o.Name() == name {
			changes = append(changes, o.Change)
			places[o.Change] = name + "." + o.Function
		}
	}
	near, ok := wording.Nearest(change, changes)
	if !ok {
		return ""
	}
	return fmt.Sprintf("; the nearest is %s: %s", places[near], near)
}

// problemf returns a problem at the exemption's place.
func (e exemption) problemf(format string, args ...any) error {
	return &strictyaml.Problem{Place: e.place, Message: fmt.Sprintf(format, args...)}
}
