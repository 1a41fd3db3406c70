package composed

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// trail is the evidence of a count: the indices of the latest events that were counted, as many as a verdict names. A
// verdict gets a part of it and no copy, so that a long loop costs no more than a short one.
type trail struct {
	indices []int
	rising  int  // how many of the latest ascend
	lent    bool // verdicts have a part of them, so that none is written over
}

func (t *trail) add(index int) {
	n := len(t.indices)
	if n > 0 && index < t.indices[n-1] {
		t.rising = 0
	}
	t.rising++
	if n == 2*spec.MaxEvidence {
		latest := t.indices[n-spec.MaxEvidence:]
		if t.lent {
			t.indices, t.lent = make([]int, 0, 2*spec.MaxEvidence), false
		}
		t.indices = append(t.indices[:0], latest...)
	}
	t.indices = append(t.indices, index)
}

func (t *trail) forget() {
	if t.lent {
		*t = trail{}
	}
	t.indices, t.rising = t.indices[:0], 0
}

// last returns the latest n indices in ascending order; nobody may write to them. [CO-38]
func (t *trail) last(n int) []int {
	end := len(t.indices)
	latest := t.indices[end-min(n, end):]
	if n > t.rising { // calls that were answered in another order
		return slices.Sorted(slices.Values(latest))
	}
	t.lent = true
	return slices.Clip(latest)
}
