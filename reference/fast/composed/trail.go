package composed

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// trail is the evidence of a count, in whatever order the calls were answered.
type trail struct {
	all    spec.Trail
	latest int // index
	rising int // how many of the latest ascend
}

func (t *trail) add(index int) {
	if index < t.latest {
		t.rising = 0
	}
	t.latest = index
	t.rising++
	t.all.Add(index)
}

func (t *trail) forget() {
	t.all.Reset()
	t.latest, t.rising = 0, 0
}

// last returns the latest n indices in ascending order; the caller must not change them.
func (t *trail) last(n int) []int { // CO-38
	latest := t.all.Last(n)
	if n > t.rising {
		return slices.Sorted(slices.Values(latest))
	}
	return latest
}
