package mutation

import (
	"context"

	"github.com/loopstone/loopstone/internal/mutation/plant"
	"github.com/loopstone/loopstone/spec"
)

// breach is a named fault against a clause that no line of the reference carries out, or that no small change of one
// breaks. Whatever a breach leaves nil works as in the reference. The cases that cite the clause must notice.
type breach struct {
	clause, about string

	open    func(detector spec.DetectorID, config spec.Value) spec.Value // returns another configuration
	observe func(s spec.Session, events []spec.Value) ([]spec.Value, error)
	verdict func(verdict spec.Value) spec.Value
	call    func(function string, args, result spec.Value) spec.Value
	reset   func(s spec.Session) error
}

// breaches lists them in the order of the clauses.
var breaches = []breach{}

// broken returns the breaches as mutants: the first has the number -1.
func broken() []plant.Mutant {
	var list []plant.Mutant
	for i, b := range breaches {
		list = append(list, plant.Mutant{
			ID: -i - 1, Package: "breaches", File: "breaches", Function: b.clause, Change: b.about, Clauses: []string{b.clause},
		})
	}
	return list
}

// faulty is a port with a breach.
type faulty struct {
	spec.Port
	breach
}

var _ = context.Background
