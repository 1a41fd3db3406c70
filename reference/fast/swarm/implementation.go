// Package swarm is the fast twin of reference/swarm: the same verdicts call by call, with snapshots. [Totals] are for a
// Go program whose workers run at the same time.
package swarm

import (
	rules "github.com/loopstone/loopstone/reference/swarm"
	"github.com/loopstone/loopstone/spec"
)

// Implementation returns the detector as [spec.NewHost] takes it in.
func Implementation() spec.Implementation {
	return spec.Faster(rules.Rules(), func(s spec.Settings) (spec.Detector, error) {
		return &detector{totals: NewTotals(rules.LimitsOf(s))}, nil
	})
}
