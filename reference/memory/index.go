package memory

import "github.com/loopstone/loopstone/spec"

// Index is the index of an event that is remembered for evidence. The zero Index is unknown: the event is from before a
// restore. A field that holds an Index is not exported, because a snapshot has no indices.
type Index int

// IndexOf returns the index of the event.
func IndexOf(e spec.Event) Index { return Index(e.Index + 1) }

// Evidence returns the known indices, only the latest [spec.MaxEvidence]; nil if none is known. It assumes that
// they ascend.
func Evidence(counted []Index) []int {
	var known []int
	for _, i := range counted[max(0, len(counted)-spec.MaxEvidence):] {
		if i > 0 {
			known = append(known, int(i-1))
		}
	}
	return known
}
