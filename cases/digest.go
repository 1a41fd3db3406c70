package cases

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// Digest returns a short fingerprint of the specification that the cases test: the clauses, and everything that the
// cases demand, in the order of their ids. Comments and the places of the cases in their files do not count.
func Digest(all []Case) string {
	h := sha256.New()
	for _, c := range spec.Clauses() {
		fmt.Fprintf(h, "%s %s %v %q\n", c.ID, c.Level, c.Readings, c.Text)
	}
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b Case) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	for _, c := range sorted {
		if c.hasBody() {
			fmt.Fprintln(h, c.Demand())
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// lawTag marks what stands for a law.
const lawTag = "law"

// IsLaw reports whether the case stands for a law or another check on generated traces, and for no entry of a file.
func (c Case) IsLaw() bool { return slices.Contains(c.Tags, lawTag) && !c.hasBody() }

// CountLaws returns how many of the cases stand for laws.
func CountLaws(suite []Case) int {
	n := 0
	for _, c := range suite {
		if c.IsLaw() {
			n++
		}
	}
	return n
}

// hasBody reports whether the case demands something by itself. One that does not stands for a check that is made
// without a trace of its own, and is no part of the specification.
func (c Case) hasBody() bool {
	return c.Refuse != nil || c.Call != nil || len(c.Steps) > 0 || len(c.Exchange) > 0
}
