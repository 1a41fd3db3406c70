// Package guards is the fast twin of reference/guards: the same verdicts iteration by iteration, with snapshots. It
// counts where the rules look at the whole trace.
package guards

import (
	rules "github.com/loopstone/loopstone/reference/guards"
	"github.com/loopstone/loopstone/spec"
)

// Implementation returns the detector as [spec.NewHost] takes it in.
func Implementation() spec.Implementation {
	return spec.Faster(rules.Rules(), func(s spec.Settings) (spec.Detector, error) {
		return newDetector(rules.ConfigOf(s)), nil
	})
}
