package strength

import (
	"errors"
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/conformance/strength/mutation"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

// Exemptions say of which mutants no case can be asked to kill them.
type Exemptions struct {
	Equivalent []Exemption // mutants that behave as the original does
	Scope      []Exemption // code whose faults no case of a portable suite can show
}

// Exemption exempts mutants of one function, or of one file where Function is empty, for one reason.
type Exemption struct {
	File     string
	Function string
	Changes  []string // as a mutant's [mutation.Key] has them; empty, in the scope only, for all
	Reason   string   // one sentence
	Place    strictyaml.Place
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
	})
	return &e, err
}

// readExemptions reads a list whose entries give their reason under a name, and must have certain members.
func readExemptions(into *[]Exemption, reason string, required ...string) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		if n.Kind != spec.Array {
			return n.Problemf("want a list, got %s", n.Kind)
		}
		var problems []error
		for _, item := range n.Items {
			e := Exemption{Place: item.Place}
			problems = append(problems, item.Read(map[string]strictyaml.Reader{
				"file":     strictyaml.Str(&e.File),
				"function": strictyaml.Str(&e.Function),
				"mutants":  strictyaml.Strs(&e.Changes),
				reason:     strictyaml.Str(&e.Reason),
			}, append([]string{"file", reason}, required...)...))
			e.Reason = strings.Join(strings.Fields(e.Reason), " ")
			*into = append(*into, e)
		}
		return errors.Join(problems...)
	}
}

// covers reports whether the exemption is about the mutant.
func (e Exemption) covers(m mutation.Mutant) bool {
	if e.File != m.File || e.Function != "" && e.Function != m.Function {
		return false
	}
	for _, change := range e.Changes {
		if change == m.Key().Change {
			return true
		}
	}
	return len(e.Changes) == 0
}

// problemf returns a problem at the exemption's place.
func (e Exemption) problemf(format string, args ...any) error {
	return &strictyaml.Problem{Place: e.Place, Message: fmt.Sprintf(format, args...)}
}
