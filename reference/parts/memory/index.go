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
