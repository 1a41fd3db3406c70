package replay

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"

	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// varying finds equal calls whose results differ only in numbers, such as the seconds that a test took. Detectors that
// compare results do not count these calls as equal, and report nothing where a person sees a repetition.
type varying struct {
	waiting []waitingCall // the latest calls without a result
	calls   []*variedCall // the latest different calls
	found   []*variedCall // of these, in the order in which they were found
	more    int           // found beyond what is kept
}

// What is kept of a run is bounded.
const (
	keptWaiting = 100
	keptVaried  = 200
	mostVaried  = 3 // lines of a report
)

// leastVaried is how many such results in a row are worth a line: as many as the smallest usual threshold.
const leastVaried = 3

type waitingCall struct {
	id   string
	call *variedCall
}

// variedCall is what the results of equal calls have in common.
type variedCall struct {
	key     uint64 // of the tool and its arguments
	title   string
	text    string
	exact   uint64 // the latest result
	rough   uint64 // the latest result, without its numbers
	row     int    // the latest results with equal rough texts
	from    int    // the event of the first of them
	differs bool   // whether their exact texts differ
	known   bool   // whether there was a result

	times       int // the longest row
	first, last int // its events
}

// observe takes in an event.
func (v *varying) observe(event spec.Value, m Moment) {
	member := func(name string) string { return event.Get(name).Text() }
	switch m.Type {
	case spec.ToolCall:
		c := v.call(hash(m.Title+"\x00"+event.Get("args").String()), m)
		v.waiting = append(v.waiting, waitingCall{member("id"), c})
		if len(v.waiting) > keptWaiting {
			v.waiting = v.waiting[1:]
		}
	case spec.ToolResult, spec.ErrorEvent:
		c := v.answered(member("call"))
		switch {
		case c == nil || !c.result(member("content")+member("message"), m.Event):
		case len(v.found) == mostVaried:
			v.more++
		default:
			v.found = append(v.found, c)
		}
	}
}

// call returns what is known of the calls that equal this one.
func (v *varying) call(key uint64, m Moment) *variedCall {
	for _, c := range v.calls {
		if c.key == key {
			return c
		}
	}
	c := &variedCall{key: key, title: m.Title, text: m.Text}
	v.calls = append(v.calls, c)
	if len(v.calls) > keptVaried {
		v.calls = v.calls[1:]
	}
	return c
}

// answered returns the call that a result answers: the one with this id, else the oldest; nil if there is none.
func (v *varying) answered(id string) *variedCall {
	i := slices.IndexFunc(v.waiting, func(w waitingCall) bool { return id == "" || w.id == id })
	if i < 0 {
		return nil
	}
	c := v.waiting[i].call
	v.waiting = slices.Delete(v.waiting, i, i+1)
	return c
}

// numbersOf matches a number, with its fraction or the minutes of a time.
var numbersOf = regexp.MustCompile(`[0-9]+([.,:][0-9]+)*`)

// result takes in a result, and reports whether the row of results is worth a line for the first time.
func (c *variedCall) result(text string, event int) bool {
	exact, rough := hash(text), hash(numbersOf.ReplaceAllLiteralString(text, "0"))
	if !c.known || rough != c.rough {
		c.row, c.from, c.differs = 0, event, false
	} else if exact != c.exact {
		c.differs = true
	}
	c.known, c.exact, c.rough = true, exact, rough
	c.row++
	if !c.differs || c.row < leastVaried || c.row <= c.times {
		return false
	}
	isNew := c.times == 0
	c.times, c.first, c.last = c.row, c.from, event
	return isNew
}

// Varying returns a line for each call that was made again and again with results that differ only in numbers.
func (r *Replay) Varying() []string {
	var lines []string
	for _, c := range r.varying.found {
		lines = append(lines, fmt.Sprintf("%d equal calls return results that differ only in numbers (events %d to %d): %s. "+
			"Detectors that compare results do not count them as equal.",
			c.times, c.first+1, c.last+1, wording.Cut(c.title+" "+wording.Line(c.text), 60)))
	}
	if r.varying.more > 0 {
		lines = append(lines, fmt.Sprintf("The same holds for %s more.", wording.Count(r.varying.more, "call")))
	}
	return lines
}

func hash(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text)) // which never fails
	return h.Sum64()
}
