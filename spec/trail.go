package spec

import "slices"

// MaxEvidence is the largest number of events that a verdict's evidence names: the latest events. Without a bound, the
// memory of a rule that counts for ever, and the length of its verdicts, would grow with the trace.
const MaxEvidence = 100

// Trail is the evidence of a rule that counts a growing number of events: the indices of the latest events, at most
// [MaxEvidence]. The zero Trail is empty.
type Trail struct {
	indices []int
	lent    bool // a caller holds a part of the indices; none may be overwritten
}

// Add notes that the rule counted the event of that index.
func (t *Trail) Add(index int) {
	if len(t.indices) == 2*MaxEvidence {
		latest := t.indices[MaxEvidence:]
		if t.lent {
			t.indices, t.lent = make([]int, 0, 2*MaxEvidence), false
		}
		t.indices = append(t.indices[:0], latest...)
	}
	t.indices = append(t.indices, index)
}

// Keep lets the trail forget all but the latest n events, as soon as that gives memory back.
func (t *Trail) Keep(n int) {
	if len(t.indices) <= 2*n+4 {
		return
	}
	latest := t.indices[len(t.indices)-n:]
	if t.lent {
		*t = Trail{}
	}
	t.indices = append(t.indices[:0], latest...)
}

// Reset forgets all events.
func (t *Trail) Reset() {
	if t.lent {
		*t = Trail{}
	}
	t.indices = t.indices[:0]
}

// Last returns the latest n indices, in the order in which they were added; fewer if the trail holds fewer, and never
// more than [MaxEvidence]. Later additions do not change the returned indices, and no caller may write to them. So a
// verdict in a long loop costs no more than a verdict in a short loop.
func (t *Trail) Last(n int) []int {
	n = min(n, len(t.indices), MaxEvidence)
	t.lent = t.lent || n > 0
	return slices.Clip(t.indices[len(t.indices)-n:])
}
