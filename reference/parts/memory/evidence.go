package memory

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// Index is the index of an event that is remembered for evidence. The zero Index is unknown: the event is from before a
// restore. A field that holds an Index is not exported, because a snapshot has no indices.
type Index int

// IndexOf returns the index of the event.
func IndexOf(e spec.Event) Index { return Index(e.Index + 1) }

// Evidence returns the known indices, only the latest [spec.MaxEvidence]; nil if none is known. It assumes that
// they ascend.
func Evidence(counted []Index) []int {
	latest := counted[max(0, len(counted)-spec.MaxEvidence):]
	known := make([]int, 0, len(latest))
	for _, i := range latest {
		if i > 0 {
			known = append(known, int(i-1))
		}
	}
	if len(known) == 0 {
		return nil
	}
	return known
}

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
