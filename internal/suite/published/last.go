package published

import (
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// Last is what the last version asks.
type Last struct {
	Version string
	IDs     []string // of its clauses, cases and laws; the list of 0.1.0 has no laws
	IsSame  bool     // whether the specification and its cases are still those, by id, and the clauses word for word
}

// LastVersion returns what the last version asks, beside the specification and its cases of today.
func LastVersion(clauses []spec.Clause, all []cases.Case) (Last, error) {
	return lastOf(published, clauses, all)
}

func lastOf(list string, clauses []spec.Clause, all []cases.Case) (Last, error) {
	version, promises, err := parse(list)
	return Last{version, idsOf(promises), slices.Equal(promises, entries(clauses, all))}, err
}

// IDs returns the ids of clauses, and then those of cases and laws in their order, as the list of a version has them.
func IDs(clauses []spec.Clause, all []cases.Case) []string { return idsOf(entries(clauses, all)) }

func idsOf(lines []string) []string {
	return lists.Map(lines, func(line string) string {
		id, _, _ := strings.Cut(line, " ")
		return id
	})
}
