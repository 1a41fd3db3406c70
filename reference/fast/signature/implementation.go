// Package signature is the fast twin of reference/signature: the same verdicts event by event, with snapshots. It takes
// each signature once, in time proportional to the output.
package signature

import (
	rules "github.com/loopstone/loopstone/reference/signature"
	"github.com/loopstone/loopstone/spec"
)

// Implementation returns the detector with both of D2's readings, as [spec.NewHost] takes it in.
func Implementation() spec.Implementation {
	impl := spec.Faster(rules.Rules(), func(s spec.Settings) (spec.Detector, error) {
		return newDetector(rules.ConfigOf(s)), nil
	})
	impl.Functions["signature.extract"] = rules.Extract(signatureOf)
	return impl
}
