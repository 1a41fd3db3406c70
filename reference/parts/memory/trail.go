package memory

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// Trail holds the indices of the latest events that a rule counted, at most [spec.MaxEvidence]: evidence names no more.
// The zero Trail is empty. A snapshot has no trail.
type Trail struct{ latest []int }

// Add adds the index of an event.
func (t *Trail) Add(index int) {
	t.latest = append(t.latest, index)
	t.latest = t.latest[max(0, len(t.latest)-spec.MaxEvidence):]
}

// Last returns the latest n indices in the order in which they were added, fewer if the trail holds fewer; nil if it is
// empty. Later additions do not change what it returned, and no caller may write to it: so a verdict in a long loop
// costs no more than one in a short loop.
func (t *Trail) Last(n int) []int {
	n = min(n, len(t.latest))
	if n == 0 {
		return nil
	}
	return slices.Clip(t.latest[len(t.latest)-n:])
}
