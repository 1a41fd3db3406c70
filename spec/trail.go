package spec

import "slices"

// MaxEvidence is how many events a verdict's evidence names at most: the latest ones. Without a bound, a rule that
// counts for ever would need memory, and a verdict its length, in proportion to all that was ever observed.
const MaxEvidence = 100

// Trail is the evidence of a rule that counts a growing number of events: the indices of the latest ones, at most
// [MaxEvidence]. The zero Trail is empty.
type Trail struct {
	indices []int
}

// Add notes that the rule counted the event of that index.
func (t *Trail) Add(index int) {
	if len(t.indices) == 2*MaxEvidence {
		t.indices = append(t.indices[:0], t.indices[MaxEvidence:]...)
	}
	t.indices = append(t.indices, index)
}

// Reset forgets all events.
func (t *Trail) Reset() { t.indices = t.indices[:0] }

// Last returns a copy of the latest n indices, in ascending order; fewer where the trail holds fewer, and never more
// than [MaxEvidence].
func (t *Trail) Last(n int) []int {
	n = min(n, len(t.indices), MaxEvidence)
	return slices.Clone(t.indices[len(t.indices)-n:])
}
