package strength

import (
	"errors"
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/internal/strength/mutation"
	"github.com/loopstone/loopstone/internal/strictyaml"
	"github.com/loopstone/loopstone/spec"
)

// Exemptions say of which mutants no case can be asked to kill them, and of which a case of another clause is.
type Exemptions struct {
	Equivalent []Exemption // mutants that behave as the original does
	Scope      []Exemption // code whose faults no case of a portable suite can show
	Chance     []Exemption // code whose faults show in one run and not in the next; whatever kills them does not count
	Breaks     []Exemption // mutants that break other clauses than the code near them names
}

// Exemption exempts mutants of one function, or of one file where Function is empty, for one reason.
type Exemption struct {
	File     string
	Function string
	Changes  []string // as a mutant's [mutation.Key] has them; empty, but for equivalent ones, for all
	Reason   string   // one sentence; empty where there are clauses
	Clauses  []string // that the mutants break
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
		"chance":     readExemptions(&e.Chance, "reason"),
		"breaks":     readExemptions(&e.Breaks, "clauses"),
	})
	return &e, err
}

// readExemptions reads a list whose entries give their reason under a name, or clauses instead, and must have further
// members.
func readExemptions(into *[]Exemption, reason string, required ...string) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		if n.Kind != spec.Array {
			return n.Problemf("want a list, got %s", n.Kind)
		}
		var problems []error
		for _, item := range n.Items {
			e := Exemption{Place: item.Place}
			readers := map[string]strictyaml.Reader{
				"file":     strictyaml.Str(&e.File),
				"function": strictyaml.Str(&e.Function),
				"mutants":  strictyaml.Strs(&e.Changes),
				reason:     strictyaml.Str(&e.Reason),
			}
			if reason == "clauses" {
				readers[reason] = readClauses(&e.Clauses)
			}
			problems = append(problems, item.Read(readers, append([]string{"file", reason}, required...)...))
			e.Reason = strings.Join(strings.Fields(e.Reason), " ")
			*into = append(*into, e)
		}
		return errors.Join(problems...)
	}
}

// readClauses reads a list of clauses that there are.
func readClauses(into *[]string) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		if err := strictyaml.Strs(into)(n); err != nil {
			return err
		}
		for _, id := range *into {
			if _, known := spec.ClauseByID(id); !known {
				return n.Problemf("there is no clause %s", id)
			}
		}
		return nil
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
