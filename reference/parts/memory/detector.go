// Package memory has the parts of which a reference detector builds its memory, and a generic detector that joins a
// memory with a function that judges it. No rule of a single detector is here.
//
// A memory is a struct of plain data: what the clauses let a detector remember of the events since the last reset. Its
// size is bounded by the configuration. Its parts are a [Window] of the latest items, a [Streak] of events that may be
// longer than what is kept, a [Count], a [Digest] in place of a text, or plain fields; an [Index] or a [Trail]
// remembers evidence, and is in no snapshot. Its exported fields, in their order and with the names of their json tags,
// are the snapshot.
package memory

import "github.com/loopstone/loopstone/spec"

// Detector is a detector that remembers an M. It implements [spec.Detector] and [spec.Snapshotter].
type Detector[M any] struct {
	fresh   func() M
	observe func(*M, spec.Event) spec.Verdict
	memory  M
}

// NewDetector returns a detector with an empty trace: fresh returns the memory of a new session, and observe adds an
// event to the memory and judges it.
func NewDetector[M any](fresh func() M, observe func(*M, spec.Event) spec.Verdict) *Detector[M] {
	return &Detector[M]{fresh, observe, fresh()}
}

// Observe implements [spec.Detector].
func (d *Detector[M]) Observe(e spec.Event) spec.Verdict { return d.observe(&d.memory, e) }

// Reset implements [spec.Detector].
func (d *Detector[M]) Reset() { d.memory = d.fresh() }

// Memory returns the memory.
func (d *Detector[M]) Memory() *M { return &d.memory }
