package memory

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// Snapshot implements [spec.Snapshotter].
func (d *Detector[M]) Snapshot() spec.Value { return write(d.memory) }

// Restore implements [spec.Snapshotter]. It reads the state into a fresh memory, which takes what it can read and no
// more than its bounds allow. If this memory would not write the state again, no snapshot wrote it: then Restore
// returns a fault of kind [spec.InvalidState], which names the first difference, and changes nothing.
func (d *Detector[M]) Restore(state spec.Value) error {
	restored := d.fresh()
	_ = json.Unmarshal(state.AppendJSON(nil), &restored) // what it could not read is a difference
	if again := write(restored); !again.Equal(state) {
		return difference("state", state, again)
	}
	d.memory = restored
	return nil
}

// write returns the snapshot of a memory.
func write(memory any) spec.Value {
	text, err := json.Marshal(memory)
	if err != nil {
		panic(err) // a memory is plain data
	}
	state, err := spec.ParseValue(text)
	if err != nil {
		panic(err)
	}
	return state
}

// difference names the first place at which a state differs from what a snapshot has there; it assumes one.
func difference(place string, got, want spec.Value) error {
	switch {
	case got.IsAbsent():
		return spec.BadState("%s is missing", place)
	case got.Kind() == spec.Array && want.Kind() == spec.Array:
		if len(got.Items()) != len(want.Items()) {
			return spec.BadState("%s: %d items, a snapshot has %d", place, len(got.Items()), len(want.Items()))
		}
		for i, item := range got.Items() {
			if !item.Equal(want.Items()[i]) {
				return difference(fmt.Sprintf("%s/%d", place, i), item, want.Items()[i])
			}
		}
	case got.Kind() == spec.Object && want.Kind() == spec.Object:
		for _, m := range slices.Concat(got.Members(), want.Members()) {
			if g, w := got.Get(m.Name), want.Get(m.Name); !g.Equal(w) {
				return difference(place+"/"+m.Name, g, w)
			}
		}
	}
	return spec.BadState("%s: no snapshot has %s there", place, wording.Cut(got.String(), 200))
}

// MarshalJSON implements [json.Marshaler].
func (w Window[T]) MarshalJSON() ([]byte, error) {
	if len(w.items) == 0 {
		return []byte("[]"), nil
	}
	return json.Marshal(w.items)
}

// UnmarshalJSON implements [json.Unmarshaler]. Of too many items it keeps the latest, and it returns no error: it
// leaves out what it cannot read, see [Detector.Restore].
func (w *Window[T]) UnmarshalJSON(text []byte) error {
	w.items = nil
	_ = json.Unmarshal(text, &w.items)
	w.items = w.Last(w.size)
	return nil
}

// UnmarshalJSON implements [json.Unmarshaler]. It takes what is no count for another one, see [Detector.Restore].
func (c *Count) UnmarshalJSON(text []byte) error {
	n := 0
	_ = json.Unmarshal(text, &n)
	*c = Count(min(max(n, 0), spec.MaxCount))
	return nil
}

// MarshalJSON implements [json.Marshaler].
func (s Streak) MarshalJSON() ([]byte, error) { return json.Marshal(s.length) }

// UnmarshalJSON implements [json.Unmarshaler]. A streak that is too long is cut.
func (s *Streak) UnmarshalJSON(text []byte) error {
	s.Reset()
	_ = json.Unmarshal(text, &s.length)
	s.length = min(s.length, spec.MaxCount-s.cut)
	return nil
}
