package mutation

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/internal/mutation/plant"
	"github.com/loopstone/loopstone/internal/strictyaml"
	"github.com/loopstone/loopstone/spec"
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
			nearest := e.nearest(outcomes, change)
			problems = append(problems, e.problemf("%s: no such mutant: %s; the nearest is %s", e.In, change, nearest))
		case 1:
		default:
			problems = append(problems, e.problemf("%s: %d mutants: %s; say in which function", e.In, found[change], change))
		}
	}
	return problems
}

// nearest returns the place and the change of the mutant, in the exemption's package, that is most like a change: with
// the longest beginning and end in common.
func (e Exemption) nearest(outcomes []Outcome, change string) string {
	name, _, _ := strings.Cut(strings.ReplaceAll(e.In, "/", "."), ".")
	best, most := "none", -1
	for _, o := range outcomes {
		if o.Name() != name {
			continue
		}
		like := shared(o.Change, change)
		if e.In == name+"."+o.Function {
			like++ // of two that are as like, the one in the function
		}
		if like > most {
			best, most = fmt.Sprintf("%s.%s: %s", name, o.Function, o.Change), like
		}
	}
	return best
}

// shared returns how many bytes two texts have in common at their beginning and their end.
func shared(a, b string) int {
	start, end := 0, 0
	for start < min(len(a), len(b)) && a[start] == b[start] {
		start++
	}
	for end < min(len(a), len(b))-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	return start + end
}

// problemf returns a problem at the exemption's place.
func (e Exemption) problemf(format string, args ...any) error {
	return &strictyaml.Problem{Place: e.Place, Message: fmt.Sprintf(format, args...)}
}
