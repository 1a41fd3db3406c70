// Package fingerprint is the fast twin of reference/fingerprint: the same verdicts event by event, with snapshots. It
// keeps the last call, five counts and the ids of recent calls instead of the trace.
package fingerprint

import (
	rules "github.com/loopstone/loopstone/reference/fingerprint"
	"github.com/loopstone/loopstone/spec"
)

// Implementation returns the detector as [spec.NewHost] takes it in.
func Implementation() spec.Implementation {
	return spec.Faster(rules.Rules(), func(s spec.Settings) (spec.Detector, error) {
		return &detector{Config: rules.ConfigOf(s)}, nil
	})
}
