package history

import (
	"iter"
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// call is what the window keeps of a tool call.
type call struct {
	hash  digest // of the tool and its arguments
	word  digest // of the tool and the first word of its command; zero where nobody counts it
	limit int    // place of the tool's limit
	index int    // position in the session, or restored
}

// restored is the index of a call from before a restore: no evidence can name it.
const restored = -1

// window holds the last calls, at most size of them. It grows as calls come, and is a ring once it is full.
type window struct {
	size   int
	calls  []call
	oldest int // position in calls of the oldest one
}

// push takes a call in; old is the one that leaves for it, where one does. [HI-10]
func (w *window) push(c call) (old call, left bool) {
	if len(w.calls) < w.size {
		w.calls = append(w.calls, c)
		return call{}, false
	}
	old = w.calls[w.oldest]
	w.calls[w.oldest] = c
	w.oldest = (w.oldest + 1) % w.size
	return old, true
}

// latestFirst yields the calls from the latest to the oldest.
func (w *window) latestFirst() iter.Seq[call] {
	return func(yield func(call) bool) {
		n := len(w.calls)
		for i := range n {
			if !yield(w.calls[(w.oldest+n-1-i)%n]) {
				return
			}
		}
	}
}

// latest returns the latest call that is so. It assumes that there is one.
func (w *window) latest(isSo func(call) bool) call {
	for c := range w.latestFirst() {
		if isSo(c) {
			return c
		}
	}
	return call{}
}

// indices returns those of the calls that a rule counted, ascending: the latest [spec.MaxEvidence], without those from
// before a restore; nil where none is left. [HI-23]
func (w *window) indices(counted func(call) bool) []int {
	indices := make([]int, 0, min(len(w.calls), spec.MaxEvidence))
	for c := range w.latestFirst() {
		if counted(c) && c.index != restored && len(indices) < spec.MaxEvidence { // HI-30
			indices = append(indices, c.index)
		}
	}
	if len(indices) == 0 { // HI-30
		return nil
	}
	slices.Reverse(indices)
	return indices
}

// tally counts how often each digest is in the window, and knows the highest of its counts without looking at all of
// them.
type tally struct {
	counts map[digest]int
	above  []int // above[n] is how many digests have a count above n, never 0; so the highest count is its length
}

func newTally() tally { return tally{counts: map[digest]int{}} }

func (t *tally) add(d digest) {
	n := t.counts[d]
	t.counts[d] = n + 1
	if n == t.max() {
		t.above = append(t.above, 0)
	}
	t.above[n]++
}

// remove assumes that the digest was added more often than it was removed.
func (t *tally) remove(d digest) {
	n := t.counts[d] - 1
	if n == 0 {
		delete(t.counts, d)
	} else {
		t.counts[d] = n
	}
	t.above[n]--
	if t.above[n] == 0 {
		t.above = t.above[:n]
	}
}

// max returns the highest count; 0 for an empty tally.
func (t *tally) max() int { return len(t.above) }

// leads reports whether no digest has a higher count than this one. It assumes that the tally is not empty.
func (t *tally) leads(d digest) bool { return t.counts[d] == t.max() }
