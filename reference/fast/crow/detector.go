package crow

import (
	"bytes"

	rules "github.com/loopstone/loopstone/reference/crow"
	"github.com/loopstone/loopstone/reference/pyjson"
	"github.com/loopstone/loopstone/spec"
)

// detector gives the verdicts of the rules without reading the whole window: each rule keeps its counts up to date.
type detector struct {
	rules.Config
	window     queue[spec.Event] // the index of an event from before a restore is beforeRestore
	sinceCheck int               // events stored since the last check
	counts     counts
}

// counts is what the rules of one reading count.
type counts interface {
	add(spec.Event)        // it entered the window
	drop(spec.Event)       // it left the window; it was the oldest
	verdict() spec.Verdict // on the events in the window
}

func newDetector(c rules.Config) *detector {
	if c.Reading == spec.Text {
		return &detector{Config: c, counts: newTextCounts()}
	}
	return &detector{Config: c, counts: newCodeCounts(c.Cycles)}
}

// Observe stores an event of the four types that D5 knows and, if the event is a check, evaluates the rules.
func (d *detector) Observe(e spec.Event) spec.Verdict {
	if !rules.IsObserved(e) { // CR-1
		return spec.Verdict{}
	}
	d.store(e)
	d.sinceCheck++
	if d.sinceCheck < d.CheckEvery { // CR-8
		return spec.Verdict{}
	}
	d.sinceCheck = 0
	return d.counts.verdict() // CR-13
}

// store adds the event to the window, and removes the oldest event if the window is full.
func (d *detector) store(e spec.Event) { // CR-5
	if d.Recent > 0 && d.window.size == d.Recent {
		d.counts.drop(*d.window.at(0))
		d.window.drop()
	}
	*d.window.push() = e
	d.counts.add(e)
}

// Reset forgets all events and keeps the configuration.
func (d *detector) Reset() { *d = *newDetector(d.Config) } // CR-58

// call is a tool call in a form that is cheap to compare.
type call struct {
	tool  string
	args  []byte // as Python's json.dumps(args, sort_keys=True) writes them
	index int    // of its event
}

// callOf reuses the memory of arguments that are no longer needed.
func callOf(e spec.Event, memory []byte) call {
	return call{e.Tool, pyjson.AppendSorted(memory[:0], e.Args), e.Index} // CR-3
}

func (c *call) isIdentical(d *call) bool { return c.tool == d.tool && bytes.Equal(c.args, d.args) } // CR-2, CR-4

// fullErrors counts the context errors of the window.
type fullErrors struct { // CR-30, CR-45
	phrases []string
	count   int
	trail   spec.Trail
}

func (c *fullErrors) add(e spec.Event) {
	if rules.IsContextError(e, c.phrases) {
		c.count++
		note(&c.trail, e)
	}
}

func (c *fullErrors) drop(e spec.Event) {
	if rules.IsContextError(e, c.phrases) {
		c.count--
	}
}

func (c *fullErrors) verdict() spec.Verdict {
	return rules.ContextError(c.count, latest(&c.trail, c.count))
}

// beforeRestore is the index of an event of a restored window, which has no index in this session.
const beforeRestore = -1

// evidence collects the indices of the calls from … to−1, at most the latest [spec.MaxEvidence]. It leaves out calls
// from before a restore, and returns nil if no other call remains.
func evidence(from, to int, callAt func(int) *call) []int { // CR-61, CR-62
	var indices []int
	for i := max(from, to-spec.MaxEvidence); i < to; i++ {
		if n := callAt(i).index; n != beforeRestore {
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

// latest returns the last n indices of a trail; nil if it has none.
func latest(t *spec.Trail, n int) []int { return append([]int(nil), t.Last(n)...) }

// queue holds the window's items of one sort, oldest first. It reuses slots, so a window of constant size costs no
// allocation; without a bound on the window it grows by doubling.
type queue[T any] struct {
	slots []T // as many as a power of two
	head  int // slot of the oldest item
	size  int
}

// at returns the item with i older items before it, valid until the next push. Outside the queue it returns some old
// item or a zero item.
func (q *queue[T]) at(i int) *T { return &q.slots[(q.head+i)&(len(q.slots)-1)] }

// last returns the item with i younger items after it.
func (q *queue[T]) last(i int) *T { return q.at(q.size - 1 - i) }

// push adds an item at the end and returns its slot, which still has the content of an item that was dropped.
func (q *queue[T]) push() *T {
	if q.size == len(q.slots) {
		q.grow()
	}
	q.size++
	return q.last(0)
}

func (q *queue[T]) grow() {
	slots := make([]T, max(8, 2*len(q.slots)))
	for i := range q.size {
		slots[i] = *q.at(i)
	}
	q.slots, q.head = slots, 0
}

// drop removes the oldest item.
func (q *queue[T]) drop() {
	q.head = (q.head + 1) & (len(q.slots) - 1)
	q.size--
}
