package guards

import (
	"github.com/loopstone/loopstone/reference/fast"
	"github.com/loopstone/loopstone/spec"
)

// Snapshot implements [spec.Snapshotter]: an object of the three members that are the guards' memory. The member
// signature is a snapshot of the detector signature.
func (d *detector) Snapshot() spec.Value { // GU-16
	return spec.ObjectValue(
		spec.Member{Name: "iterations", Value: spec.IntValue(d.iterations)},
		spec.Member{Name: "consecutive_errors", Value: spec.IntValue(d.failures)},
		spec.Member{Name: "signature", Value: d.signatures.Snapshot()},
	)
}

// Restore implements [spec.Snapshotter]. The detector of signatures has seen an output exactly if there was an
// iteration.
func (d *detector) Restore(state spec.Value) error { // GU-16, GU-17
	fresh := newDetector(d.config)
	unused := fresh.signatures.Snapshot()
	fresh.iterations, fresh.failures = fast.Count(state.Get("iterations")), fast.Count(state.Get("consecutive_errors"))
	signatures := state.Get("signature")
	_ = fresh.signatures.Restore(signatures) // refused, it leaves them unused, which CheckRead finds
	if err := fast.CheckRead(state, fresh); err != nil {
		return err
	}
	switch {
	case fresh.failures > fresh.iterations:
		return spec.BadState("consecutive_errors: %d of %d iterations", fresh.failures, fresh.iterations)
	case signatures.Equal(unused) != (fresh.iterations == 0):
		return spec.BadState("signature: %s does not go with %d iterations", signatures, fresh.iterations)
	}
	*d = *fresh
	return nil
}
