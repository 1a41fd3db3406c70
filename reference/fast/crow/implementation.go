// Package crow is the fast twin of reference/crow: the same verdicts event by event, with snapshots. Each rule keeps up
// to date what it counts, as events enter the window and leave it.
package crow

import (
	rules "github.com/loopstone/loopstone/reference/crow"
	"github.com/loopstone/loopstone/spec"
)

// Implementation returns the detector with both of D5's readings, as [spec.NewHost] takes it in.
func Implementation() spec.Implementation {
	return spec.Faster(rules.Rules(), func(s spec.Settings) (spec.Detector, error) {
		return newDetector(rules.ConfigOf(s)), nil
	})
}
