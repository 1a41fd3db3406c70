package guards

import (
	"fmt"

	"github.com/loopstone/loopstone/spec"
)

// Snapshot implements [spec.Snapshotter]: an object of the three members that are the guards' memory. The form of
// signature is that of the detector of signatures.
func (d *Detector) Snapshot() spec.Value {
	d.log.Apply("GU-16")
	return spec.ObjectValue(
		spec.Member{Name: "iterations", Value: spec.IntValue(d.iterations)},
		spec.Member{Name: "consecutive_errors", Value: spec.IntValue(d.failures)},
		spec.Member{Name: "signature", Value: d.signatures.Snapshot()},
	)
}

// Restore implements [spec.Snapshotter].
func (d *Detector) Restore(state spec.Value) error {
	c, err := readCounters(state)
	if err != nil {
		d.log.Apply("GU-17")
		return spec.BadState("%v", err)
	}
	if err := d.restoreSignatures(state.Get("signature"), c); err != nil {
		d.log.Apply("GU-17")
		return err
	}
	d.log.Apply("GU-16")
	d.iterations, d.failures = c.iterations, c.failures
	d.failed.Reset()
	return nil
}

// counters are the two numbers of a snapshot.
type counters struct {
	iterations, failures int
}

// readCounters checks everything of a state but its signature.
func readCounters(state spec.Value) (counters, error) {
	iterations, isInt := state.Get("iterations").Int()
	failures, isIntToo := state.Get("consecutive_errors").Int()
	switch {
	case len(state.Members()) != 3 || !isInt || !isIntToo:
		return counters{}, fmt.Errorf("want an object of iterations, consecutive_errors and signature, got %s", state)
	case iterations < 0 || iterations > maxCount:
		return counters{}, fmt.Errorf("iterations: want 0 to %d, got %d", maxCount, iterations)
	case failures < 0 || failures > iterations:
		return counters{}, fmt.Errorf("consecutive_errors: %d of %d iterations", failures, iterations)
	}
	return counters{iterations, failures}, nil
}

// restoreSignatures restores the detector of signatures, whole or not at all. It has seen an output exactly when there
// was an iteration.
func (d *Detector) restoreSignatures(state spec.Value, c counters) error {
	if state.Equal(d.unused) != (c.iterations == 0) {
		return spec.BadState("signature: %s does not go with %d iterations", state, c.iterations)
	}
	return d.signatures.Restore(state)
}
