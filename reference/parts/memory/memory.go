// Package memory has the parts of which a reference detector builds its memory, and a generic detector that joins a
// memory with a function that judges it. No rule of a single detector is here.
//
// A memory is a struct of plain data: what the clauses let a detector remember of the events since the last reset. Its
// size is bounded by the configuration. Its parts are a [Window] of the latest items, a [Streak] of events that may be
// longer than what is kept, a [Count], a [Digest] in place of a text, or plain fields; an [Index] or a [Trail]
// remembers evidence, and is in no snapshot. Its exported fields, in their order and with the names of their json tags,
// are the snapshot.
package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"github.com/loopstone/loopstone/spec"
)

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

// Window holds the latest items that were added to it, at most so many as its size. It grows as items come: a window of
// a million costs nothing before it is filled. A snapshot has its items as an array, the oldest first.
type Window[T any] struct {
	size  int
	items []T
}

// NewWindow returns an empty window.
func NewWindow[T any](size int) Window[T] { return Window[T]{size: size} }

// Add adds an item. If the window is full, its oldest item leaves it.
func (w *Window[T]) Add(item T) {
	if len(w.items) == w.size && len(w.items) == cap(w.items) { // a full window needs little room for the next items
		w.items = append(make([]T, 0, w.size+w.size/4+1), w.items...)
	}
	w.items = append(w.items, item)
	if len(w.items) > w.size {
		clear(w.items[:1]) // what only this item refers to is free now
		w.items = w.items[1:]
	}
}

// Items returns the items, the oldest first. They are valid until the window changes.
func (w *Window[T]) Items() []T { return w.items }

// Last returns the latest n items, the oldest first; fewer if the window holds fewer.
func (w *Window[T]) Last(n int) []T { return w.items[max(0, len(w.items)-n):] }

// Keep removes all but the latest n items.
func (w *Window[T]) Keep(n int) { w.items = w.Last(n) }

// Remove removes the item at a place of Items.
func (w *Window[T]) Remove(place int) { w.items = slices.Delete(w.items, place, place+1) }

// Reset removes all items.
func (w *Window[T]) Reset() { w.items = nil }

// Count is a number of events. It stops at [spec.MaxCount].
type Count int

// Add counts one more event.
func (c *Count) Add() { *c = min(*c+1, spec.MaxCount) }

// Streak counts events in a row, however many, and keeps the indices of the latest for evidence. The zero Streak is
// empty and may become as long as [spec.MaxCount]. A snapshot has its length.
type Streak struct {
	cut    Count // how far below spec.MaxCount it stops
	length Count
	trail  Trail
}

// NewStreak returns an empty streak that stops at a length.
func NewStreak(most int) Streak { return Streak{cut: spec.MaxCount - Count(most)} }

// Len returns how many events the streak has.
func (s *Streak) Len() int { return int(s.length) }

// Evidence returns the indices of the latest events, at most [spec.MaxEvidence], ascending; nil if all events are from
// before a restore. No caller may write to it.
func (s *Streak) Evidence() []int { return s.trail.Last(s.Len()) }

// Add lengthens the streak by the event with this index.
func (s *Streak) Add(index int) {
	s.length = min(s.length+1, spec.MaxCount-s.cut)
	s.trail.Add(index)
}

// AddOrEnd lengthens the streak by the event with this index, or ends the streak.
func (s *Streak) AddOrEnd(index int, lengthens bool) {
	if lengthens {
		s.Add(index)
	} else {
		s.Reset()
	}
}

// Reset ends the streak.
func (s *Streak) Reset() { s.length, s.trail = 0, Trail{} }

// Digest stands for a text in a memory, which must not grow with the texts of an agent: half of its SHA-256 sum. Equal
// texts have equal digests, and nobody finds two texts with one digest. The zero Digest stands for no text.
type Digest [sha256.Size / 2]byte

// DigestOf returns the digest of a text.
func DigestOf[T string | []byte](text T) Digest {
	sum := sha256.Sum256([]byte(text))
	return Digest(sum[:len(Digest{})])
}

// MarshalText implements [encoding.TextMarshaler].
func (d Digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. A text that is no digest leaves another digest, see
// [Detector.Restore].
func (d *Digest) UnmarshalText(text []byte) error {
	sum, _ := hex.DecodeString(string(text))
	copy(d[:], sum)
	return nil
}

// Fixed is a list whose length the configuration gives: a fresh memory has all its items.
type Fixed[T any] []T

// UnmarshalJSON implements [json.Unmarshaler]. It reads as many items as the list has, see [Detector.Restore].
func (f Fixed[T]) UnmarshalJSON(text []byte) error {
	var items []json.RawMessage
	_ = json.Unmarshal(text, &items)
	for i := range min(len(f), len(items)) {
		_ = json.Unmarshal(items[i], &f[i])
	}
	return nil
}
