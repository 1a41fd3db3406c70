// Package ralph is the fast twin of reference/ralph: the same verdicts output by output, with snapshots. It compares
// texts by Hyyrö's bit-parallel algorithm.
package ralph

import (
	rules "github.com/loopstone/loopstone/reference/ralph"
	"github.com/loopstone/loopstone/spec"
)

// Implementation returns the detector as [spec.NewHost] takes it in.
func Implementation() spec.Implementation {
	impl := spec.Faster(rules.Rules(), func(s spec.Settings) (spec.Detector, error) {
		return &detector{config: rules.ConfigOf(s)}, nil
	})
	impl.Functions["ralph.ratio"] = rules.Ratio(func(a, b []rune) int { return new(comparison).common(a, b, 0) })
	return impl
}
