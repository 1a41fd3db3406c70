package composed

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

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
	case !s.Same.WithAnswers():
		return s.callItem(e.Event), s.sees(e.Event) // CO-7
	case e.answered == nil || !s.sees(e.answered):
		return item{}, false
	default:
		it = s.callItem(e.answered) // CO-7
		it.calls[0].answer = s.Same.answer(*e.Event)
		it.blank = s.Same.Blank(Succeeded(*e.Event)) // CO-15
		return it, true
	}
}

// sees reports whether an event is a call that the rule does not exclude.
func (r Rule) sees(e *spec.Event) bool { return e.Type == spec.ToolCall && !r.Tools.Exclude(*e) } // CO-21

// callItem returns the item that a call without its answer is.
func (r Rule) callItem(e *spec.Event) item { return item{calls: []call{r.Same.call(*e)}, first: *e} }

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
			it.calls = append(it.calls, s.Same.call(*one.Event))
		}
		if at := slices.Index(made, one.answered); at >= 0 {
			it.calls[at].answer = s.Same.answer(*one.Event)
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

// call returns the parts of a call that are compared.
func (s Same) call(e spec.Event) call {
	if s.By == "tool" {
		return call{tool: e.Tool} // CO-12
	}
	c := call{tool: e.Tool, arguments: string(s.AppendArguments(nil, e.Args))} // CO-9
	if s.Thought {
		c.thought = e.Thought // CO-11
	}
	return c
}

// answer returns a text that equal answers have in common. It is empty if answers are not compared; a step has the
// empty text for a missing answer, too.
func (s Same) answer(e spec.Event) string { return string(s.AppendAnswer(nil, e)) }

// AppendAnswer appends a text that equal answers have in common, or nothing if answers are not compared.
func (s Same) AppendAnswer(b []byte, answer spec.Event) []byte { // CO-13
	if s.Results == "none" {
		return b
	}
	text := answer.Content
	if answer.Type == spec.ErrorEvent {
		text = answer.Message // CO-2
	}
	return append(strconv.AppendBool(b, Succeeded(answer)), prefix(text, s.Prefix)...) // CO-13
}

// prefix returns the first n characters of a text; all of a shorter text.
func prefix(text string, n int) string { // CO-14
	for at := range text {
		if n == 0 {
			return text[:at]
		}
		n--
	}
	return text
}

// AppendArguments appends a text that equal arguments have in common.
func (s Same) AppendArguments(b []byte, args spec.Value) []byte { // CO-9
	args = kept(args, s.Keep)
	if s.KeyOrder == "kept" {
		args = numbered(args)
	}
	return args.AppendCanonical(b) // whose members are sorted
}

// kept returns the arguments of these names, or all arguments if the call has none of them.
func kept(args spec.Value, names []string) spec.Value { // CO-10
	var members []spec.Member
	for _, m := range args.Members() {
		if slices.Contains(names, m.Name) {
			members = append(members, m)
		}
	}
	if members == nil {
		return args
	}
	return spec.ObjectValue(members...)
}

// numbered returns a value in which the name of each member begins with its place, at every depth. A name that is an
// array index stays as it is and has no place: JavaScript moves such members to the front, sorted.
func numbered(v spec.Value) spec.Value { // CO-9
	v = v.Map(numbered)
	if v.Kind() != spec.Object {
		return v
	}
	members, place := slices.Clone(v.Members()), 0
	for i, m := range members {
		if !isIndex(m.Name) {
			members[i].Name = strconv.Itoa(place) + " " + m.Name
			place++
		}
	}
	return spec.ObjectValue(members...)
}

// isIndex reports whether a name is a whole number from 0 to 4294967294, without leading zeros.
func isIndex(name string) bool { // CO-9
	n, err := strconv.ParseUint(name, 10, 32)
	return err == nil && n < math.MaxUint32 && strconv.FormatUint(n, 10) == name
}
