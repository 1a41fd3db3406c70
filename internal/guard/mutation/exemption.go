package mutation

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/internal/guard/mutation/plant"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
	"github.com/loopstone/loopstone/spec/words"
)

// Exemptions say of which mutants no case can be asked to kill them.
type Exemptions struct {
	Equivalent []Exemption // mutants that behave as the original does
	Scope      []Exemption // code whose faults no case of a portable suite can show
	Chance     []Exemption // code whose faults show in one run and not in the next; whatever kills them does not count
}

// Exemption exempts mutants for one reason.
type Exemption struct {
	In      string   // "package", "package.Function", "package.Type.Method" or "package/file.go"
	Changes []string // as a [plant.Mutant] has them; empty, but for equivalent ones, for all
	Reason  string   // one sentence
	Place   strictyaml.Place
}

// ReadExemptions reads a list of exemptions. The name is used for places only; the error has every problem, one a line.
func ReadExemptions(name string, text []byte) (*Exemptions, error) {
	doc, err := strictyaml.Parse(name, text)
	if err != nil {
		return nil, err
	}
	var e Exemptions
	err = doc.Read(map[string]strictyaml.Reader{
		"equivalent": readExemptions(&e.Equivalent, "proof", "mutants"),
		"scope":      readExemptions(&e.Scope, "reason"),
		"chance":     readExemptions(&e.Chance, "reason"),
	})
	return &e, err
}

// readExemptions reads a list whose entries give their reason under a name, and must have further members.
func readExemptions(into *[]Exemption, reason string, required ...string) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		if n.Kind != spec.Array {
			return n.Problemf("want a list, got %s", n.Kind)
		}
		var problems []error
		for _, item := range n.Items {
			e := Exemption{Place: item.Place}
			readers := map[string]strictyaml.Reader{
				"in": strictyaml.Str(&e.In), "mutants": strictyaml.Strs(&e.Changes), reason: strictyaml.Str(&e.Reason),
			}
			problems = append(problems, item.Read(readers, append([]string{"in", reason}, required...)...))
			*into = append(*into, e)
		}
		return errors.Join(problems...)
	}
}

// covers reports whether the exemption is about the mutant.
func (e Exemption) covers(m plant.Mutant) bool {
	places := []string{m.Name(), m.Name() + "." + m.Function, m.Name() + "/" + path.Base(m.File)}
	return slices.Contains(places, e.In) && (len(e.Changes) == 0 || slices.Contains(e.Changes, m.Change))
}

// check returns what is wrong with where the exemption points: at no mutant, or, where it names no function, at more
// than one by the same change.
func (e Exemption) check(outcomes []Outcome) []error {
	found := map[string]int{}
	for _, o := range outcomes {
		if e.covers(o.Mutant) {
			found[o.Change]++
		}
	}
	var problems []error
	if len(found) == 0 && len(e.Changes) == 0 {
		problems = append(problems, e.problemf("%s: no such mutants", e.In))
	}
	for _, change := range e.Changes {
		switch found[change] {
		case 0:
			problems = append(problems, e.problemf("%s: no such mutant: %s%s", e.In, change, e.meant(outcomes, change)))
		case 1:
		default:
			problems = append(problems, e.problemf("%s: %d mutants: %s; say in which function", e.In, found[change], change))
		}
	}
	return problems
}

// meant says which mutant of the exemption's package has nearly that change; nothing where none has.
func (e Exemption) meant(outcomes []Outcome, change string) string {
	var changes []string
	places := map[string]string{}
	for _, o := range outcomes {
		if strings.HasPrefix(strings.ReplaceAll(e.In, "/", "."), o.Name()+".") || e.In == o.Name() {
			changes = append(changes, o.Change)
			places[o.Change] = o.Name() + "." + o.Function
		}
	}
	near, ok := words.Nearest(change, changes)
	if !ok {
		return ""
	}
	return fmt.Sprintf("; the nearest is %s: %s", places[near], near)
}

// problemf returns a problem at the exemption's place.
func (e Exemption) problemf(format string, args ...any) error {
	return &strictyaml.Problem{Place: e.Place, Message: fmt.Sprintf(format, args...)}
}
