package history

import (
	"slices"

	"github.com/loopstone/loopstone/reference/fast"
	rules "github.com/loopstone/loopstone/reference/history"
	"github.com/loopstone/loopstone/spec"
)

// call is what the window keeps of a tool call.
type call struct {
	hash  rules.Digest // of the tool and its arguments
	word  rules.Digest // of the tool and the first word of its command; zero where nobody counts it
	limit int          // place of the tool's limit
	index int          // position in the session, or [fast.Restored]

	before [ruleCount]int // by rule: the number of the call before it that the rule counts with it, if there is one
}

// The rules by their places.
const (
	byHash = iota
	byLimit
	byWord
	ruleCount
)

// window holds the last calls, at most size of them. They are numbered in their order, from 0 after a reset. It grows
// as calls come, and is a ring once it is full.
type window struct {
	size  int
	calls []call
	next  int // number of the call that comes next
}

// at returns the call of that number, which must not have left.
func (w *window) at(number int) *call { return &w.calls[number%w.size] }

// oldest returns the number of the oldest call.
func (w *window) oldest() int { return w.next - len(w.calls) }

func (w *window) isFull() bool { return len(w.calls) == w.size }

// push adds a call, in the place of the oldest call if the window is full.
func (w *window) push(c call) { // HI-10
	if w.isFull() {
		*w.at(w.next) = c
	} else {
		w.calls = append(w.calls, c)
	}
	w.next++
}

// indices returns the indices of the calls that a rule counted, ascending: at most the latest [spec.MaxEvidence],
// without calls from before a restore, which are the oldest; nil if none remains. It goes from each call to the
// previous one, only as far as the rule counted, and so stays in the window.
func (w *window) indices(rule int, counted standing) []int { // HI-23
	n := min(counted.count, spec.MaxEvidence)
	indices := make([]int, 0, n)
	for number := counted.latest; len(indices) < n; {
		c := w.at(number)
		if c.index == fast.Restored { // HI-30
			break
		}
		indices = append(indices, c.index)
		number = c.before[rule]
	}
	if len(indices) == 0 { // HI-30
		return nil
	}
	slices.Reverse(indices)
	return indices
}
