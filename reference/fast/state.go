// Package fast has what the fast twins of the detectors share.
package fast

import (
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/words"
)

// CheckRead returns a fault of kind [spec.InvalidState] if a detector that has just read a state would not write this
// state again: then no snapshot wrote it. So a detector may read a state without a check, and take anything for what it
// cannot read. The order of members does not matter.
func CheckRead(state spec.Value, by spec.Snapshotter) error {
	if again := by.Snapshot(); !again.Equal(state) {
		return difference("state", state, again)
	}
	return nil
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
	return spec.BadState("%s: no snapshot has %s there", place, words.Cut(got.String(), 200))
}

// Restored is the index of an event from before a restore: no evidence can name it.
const Restored = -1

// Count reads a count, and takes anything else for 0.
func Count(v spec.Value) int {
	if n, _ := v.Int(); n > 0 && n <= spec.MaxCount {
		return n
	}
	return 0
}

// Text reads a text, and takes anything else for the empty text.
func Text(v spec.Value) string {
	text, _ := v.Str()
	return text
}
