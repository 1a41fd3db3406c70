package signature

import (
	rules "github.com/loopstone/loopstone/reference/signature"
	"github.com/loopstone/loopstone/spec"
)

// Implementation returns the detector with both of D2's readings, as [spec.NewHost] takes it in.
func Implementation() spec.Implementation {
	impl := spec.Faster(rules.Rules(), func(s spec.Settings) (spec.Detector, error) { return newDetector(rules.ConfigOf(s)), nil })
	impl.Functions["signature.extract"] = rules.Extract(signatureOf)
	return impl
}
