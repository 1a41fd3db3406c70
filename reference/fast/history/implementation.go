// Package history is the fast twin of reference/history: the same verdicts event by event, with snapshots. It keeps how
// often each hash occurs in the window, and a heap of these counts.
package history

import (
	rules "github.com/loopstone/loopstone/reference/history"
	"github.com/loopstone/loopstone/spec"
)

// Implementation returns the detector as [spec.NewHost] takes it in.
func Implementation() spec.Implementation {
	return spec.Faster(rules.Rules(), func(s spec.Settings) (spec.Detector, error) {
		return newDetector(rules.ConfigOf(s)), nil
	})
}
