package guards

import "github.com/loopstone/loopstone/spec"

// maxCount is the largest number of iterations that a snapshot may tell: the largest integer that every language's
// numbers hold exactly.
const maxCount = 1<<53 - 1

// Snapshot implements [spec.Snapshotter]: an object of the three members that are the guards' memory. The member
// signature is a snapshot of the detector signature.
func (d *detector) Snapshot() spec.Value { // GU-16
	return spec.ObjectValue(
		spec.Member{Name: "iterations", Value: spec.IntValue(d.iterations)},
		spec.Member{Name: "consecutive_errors", Value: spec.IntValue(d.failures)},
		spec.Member{Name: "signature", Value: d.signatures.Snapshot()},
	)
}

// Restore implements [spec.Snapshotter]. It restores the detector of signatures last, which takes its part as a whole
// or not at all. That detector has seen an output exactly if there was an iteration.
func (d *detector) Restore(state spec.Value) error { // GU-16, GU-17
	iterations, isInt := state.Get("iterations").Int()
	failures, isIntToo := state.Get("consecutive_errors").Int()
	signatures := state.Get("signature")
	switch {
	case len(state.Members()) != 3 || !isInt || !isIntToo:
		return spec.BadState("want an object of iterations, consecutive_errors and signature, got %s", state)
	case iterations < 0 || iterations > maxCount:
		return spec.BadState("iterations: want 0 to %d, got %d", maxCount, iterations)
	case failures < 0 || failures > iterations:
		return spec.BadState("consecutive_errors: %d of %d iterations", failures, iterations)
	case signatures.Equal(d.unused) != (iterations == 0):
		return spec.BadState("signature: %s does not go with %d iterations", signatures, iterations)
	}
	if err := d.signatures.Restore(signatures); err != nil {
		return err
	}
	d.iterations, d.failures = iterations, failures
	d.latest.Reset()
	return nil
}
