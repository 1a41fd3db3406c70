// Package crow is the fast twin of reference/crow: the same verdicts event by event, with snapshots. Each rule keeps up
// to date what it counts, as events enter the window and leave it.
package crow

import (
	"bytes"

	rules "github.com/loopstone/loopstone/reference/crow"
	"github.com/loopstone/loopstone/reference/fast"
	"github.com/loopstone/loopstone/reference/pyjson"
	"github.com/loopstone/loopstone/spec"
)

// detector gives the verdicts of the rules without reading the whole window: each rule keeps its counts up to date.
type detector struct {
	rules.Config
	window     queue[kept]
	sinceCheck int // events stored since the last check
	counts     counts
}

// counts is what the rules of one reading count.
type counts interface {
	add(spec.Event)        // it entered the window; its index is [fast.Restored] if it is restored
	drop(*kept)            // it left the window; it was the oldest
	verdict() spec.Verdict // on the events in the window
}

// New returns the detector with an empty trace.
func New(s spec.Settings) (spec.Detector, error) { return newDetector(rules.ConfigOf(s)), nil }

func newDetector(c rules.Config) *detector {
	d := &detector{Config: c, window: queue[kept]{most: c.Recent}}
	if c.Reading == spec.Text {
		d.counts = newTextCounts()
	} else {
		d.counts = newCodeCounts(c.Cycles)
	}
	return d
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
		d.counts.drop(d.window.at(0))
		d.window.drop()
	}
	*d.window.push() = keep(&e)
	d.counts.add(e)
}

// Reset forgets all events and keeps the configuration.
func (d *detector) Reset() { *d = *newDetector(d.Config) } // CR-58

// kept is what the detector looks at in an event, in less than half of the memory: no event has two of the members that
// share a field.
type kept struct {
	kind   spec.EventType
	name   string     // the tool, or the role of a message
	text   string     // the content, or the message of an error
	id     string     // of the call, or of the call that is answered
	reason string     // the type of an error
	value  spec.Value // the arguments, or the calls of a message

	hasTool, hasID, ok bool
}

func keep(e *spec.Event) kept {
	k := kept{
		kind: e.Type, name: e.Tool, text: e.Content, id: e.Call, reason: e.ErrorType,
		hasTool: e.HasTool, hasID: e.HasCall, ok: e.OK,
	}
	switch e.Type {
	case spec.ToolCall:
		k.id, k.hasID, k.value = e.ID, e.HasID, e.Args
	case spec.Message:
		k.name, k.value = string(e.Role), e.ToolCalls
	case spec.ErrorEvent:
		k.text = e.Message
	}
	return k
}

// event returns the event without the rest, and without its index.
func (k *kept) event() spec.Event {
	e := spec.Event{
		Type: k.kind, Tool: k.name, Content: k.text, Call: k.id, ErrorType: k.reason,
		HasTool: k.hasTool, HasCall: k.hasID, OK: k.ok,
	}
	switch k.kind {
	case spec.ToolCall:
		e.Call, e.HasCall = "", false
		e.ID, e.HasID, e.Args = k.id, k.hasID, k.value
	case spec.Message:
		e.Tool, e.Role, e.ToolCalls = "", spec.Role(k.name), k.value
	case spec.ErrorEvent:
		e.Content, e.Message = "", k.text
	}
	return e
}

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

func (c *fullErrors) drop(k *kept) {
	if rules.IsContextError(k.event(), c.phrases) {
		c.count--
	}
}

func (c *fullErrors) verdict() spec.Verdict {
	return rules.ContextError(c.count, latest(&c.trail, c.count))
}

// evidence collects the indices of the calls from … to−1, at most the latest [spec.MaxEvidence]. It leaves out calls
// from before a restore, and returns nil if no other call remains.
func evidence(from, to int, callAt func(int) *call) []int { // CR-61, CR-62
	var indices []int
	for i := max(from, to-spec.MaxEvidence); i < to; i++ {
		if n := callAt(i).index; n != fast.Restored {
			indices = append(indices, n)
		}
	}
	return indices
}

// note adds an event to a trail, unless it is from before a restore.
func note(t *spec.Trail, e spec.Event) {
	if e.Index != fast.Restored {
		t.Add(e.Index)
	}
}

// latest returns the last n indices of a trail; nil if it has none.
func latest(t *spec.Trail, n int) []int { return append([]int(nil), t.Last(n)...) }

// queue holds the window's items of one sort, oldest first. It reuses slots, so a window of constant size costs no
// allocation; without a bound on the window it grows by doubling.
type queue[T any] struct {
	slots []T
	head  int // slot of the oldest item
	size  int
	most  int // items that it ever holds; 0 if that is not known
}

// at returns the item with i older items before it, valid until the next push. Just outside the queue it returns some
// old item or a zero item.
func (q *queue[T]) at(i int) *T {
	slot := q.head + i
	switch {
	case slot < 0:
		slot += len(q.slots)
	case slot >= len(q.slots):
		slot -= len(q.slots)
	}
	return &q.slots[slot]
}

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
	room := max(8, 2*len(q.slots))
	if q.size < q.most {
		room = min(room, q.most)
	}
	slots := make([]T, room)
	for i := range q.size {
		slots[i] = *q.at(i)
	}
	q.slots, q.head = slots, 0
}

// drop removes the oldest item.
func (q *queue[T]) drop() {
	if q.head++; q.head == len(q.slots) {
		q.head = 0
	}
	q.size--
}
