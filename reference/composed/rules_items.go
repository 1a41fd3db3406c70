package composed

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// item is a thing that a rule compares: a call, a call with its answer, a step or a message.
type item struct {
	calls []call     // a step has several, a message has none
	blank bool       // a blank item equals no item, not even itself
	first spec.Event // evidence names the call, the first call of the step, or the message
}

// call has the parts of a call that a rule compares; the others are empty.
type call struct{ tool, arguments, thought, answer string }

func (it item) equals(other item) bool {
	return !it.blank && !other.blank && slices.Equal(it.calls, other.calls)
}

// hasCallOf reports whether two items have equal calls, whatever the answers.
func (it item) hasCallOf(other item) bool {
	return slices.EqualFunc(it.calls, other.calls, func(a, b call) bool {
		a.answer, b.answer = "", ""
		return a == b
	})
}

// completed returns the item that the latest event completes, and whether it completes one.
func (s *state) completed(e event) (it item, complete bool) {
	switch {
	case s.Same.By == "step":
		return s.step(e)
	case s.Same.By == "speech":
		return item{first: *e.Event}, e.Role == spec.Assistant // CO-18
	case s.sees(e.Event) && !s.Same.WithAnswers(): // CO-7
		return s.callItem(e.Event), true
	case s.sees(e.answered) && s.Same.WithAnswers(): // CO-7
		it = s.callItem(e.answered)
		it.calls[0].answer = s.Same.answerText(*e.Event)
		it.blank = s.Same.Blank(Succeeded(*e.Event)) // CO-15
		return it, true
	default:
		return item{}, false
	}
}

// sees reports whether there is an event, and it is a call that the rule does not exclude.
func (r Rule) sees(e *spec.Event) bool { // CO-21
	return e != nil && e.Type == spec.ToolCall && !r.Tools.Exclude(*e)
}

// callItem returns the item that a call without its answer is.
func (r Rule) callItem(e *spec.Event) item {
	return item{calls: []call{r.Same.compared(*e)}, first: *e}
}

// WithAnswers reports whether an item is a call together with its answer.
func (s Same) WithAnswers() bool { return s.Results != "none" || s.Outcome != "any" } // CO-7

// Blank reports whether an item is blank whose answer is a success, or is a failure.
func (s Same) Blank(success bool) bool { return s.Outcome != "any" && success != (s.Outcome == "ok") } // CO-15

// Succeeded reports whether an answer is a success.
func Succeeded(answer spec.Event) bool { return answer.Type == spec.ToolResult && answer.OK } // CO-2

// MaxStep is how many calls of a step are compared.
const MaxStep = 100 // CO-17

// step returns the step that the latest event, a reply, completes: the calls since the previous reply, with the answers
// that have arrived.
func (s *state) step(e event) (it item, complete bool) { // CO-16
	if e.Type != spec.Reply {
		return item{}, false
	}
	seen := s.events[:len(s.events)-1]
	start := len(seen) - 1
	for start >= 0 && seen[start].Type != spec.Reply {
		start--
	}
	if start < 0 {
		return item{}, false // CO-16: these calls belong to no step
	}
	var made []*spec.Event
	for _, one := range seen[start:] {
		if s.sees(one.Event) && len(made) < MaxStep { // CO-17
			made = append(made, one.Event)
			it.calls = append(it.calls, s.Same.compared(*one.Event))
		}
		if at := slices.Index(made, one.answered); at >= 0 {
			it.calls[at].answer = s.Same.answerText(*one.Event)
		}
	}
	if len(made) == 0 {
		return item{blank: true}, true // CO-17
	}
	if s.Same.Order == "any" {
		slices.SortFunc(it.calls, call.compare)
	}
	it.first = *made[0]
	return it, true
}

// compare puts calls in an order in which only equal calls are level.
func (c call) compare(other call) int {
	return cmp.Compare(fmt.Sprintf("%q", c), fmt.Sprintf("%q", other))
}

// compared returns the parts of a call that are compared.
func (s Same) compared(e spec.Event) call {
	if s.By == "tool" {
		return call{tool: e.Tool} // CO-12
	}
	c := call{tool: e.Tool, arguments: string(s.AppendArguments(nil, e.Args))} // CO-9
	if s.Thought {
		c.thought = e.Thought // CO-11
	}
	return c
}

// answerText returns a text that equal answers have in common. It is empty if answers are not compared; a step has the
// empty text for a missing answer, too.
func (s Same) answerText(e spec.Event) string { return string(s.AppendAnswer(nil, e)) }
