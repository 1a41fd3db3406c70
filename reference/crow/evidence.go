package crow

import "github.com/loopstone/loopstone/spec"

// beforeRestore is the index of an event that a restored window holds: it is none of this session.
const beforeRestore = -1

// evidence collects the indices that index gives for the positions from … to−1, the latest [spec.MaxEvidence] of them.
// Events from before a restore are left out; without any other it returns nil. // CR-61, CR-62
func evidence(from, to int, index func(int) int) []int {
	var indices []int
	for i := max(from, to-spec.MaxEvidence); i < to; i++ {
		if n := index(i); n != beforeRestore {
			indices = append(indices, n)
		}
	}
	return indices
}

// note adds an event to a trail, unless it is from before a restore.
func note(t *spec.Trail, e spec.Event) {
	if e.Index != beforeRestore {
		t.Add(e.Index)
	}
}

// latest returns the last n indices of a trail; nil where it has none.
func latest(t *spec.Trail, n int) []int {
	if indices := t.Last(n); len(indices) > 0 {
		return indices
	}
	return nil
}
