package composed

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// item is a thing that a rule compares.
type item struct {
	call, answer string     // what equal items have in common
	blank        bool       // it equals no item, not even itself
	first        spec.Event // the event that evidence names: the call, the first call of the step, or the message
}

func (it item) equals(other item) bool {
	return !it.blank && !other.blank && it.call == other.call && it.answer == other.answer
}

// item returns the item that event i completes, and whether it completes one.
func (s *state) item(i int) (it item, complete bool) { // CO-7
	e := s.trace[i]
	switch s.Same.By {
	case "step":
		return s.step(i)
	case "speech":
		return item{first: e}, e.Role == spec.Assistant // CO-18
	}
	if !s.Same.WithAnswers() {
		return s.unanswered(e), e.Type == spec.ToolCall && s.Tools.See(e)
	}
	if s.answers[i] == none || !s.Tools.See(s.trace[s.answers[i]]) {
		return item{}, false
	}
	it = s.unanswered(s.trace[s.answers[i]])
	it.answer, it.blank = s.answer(e), s.Same.Blank(Succeeded(e)) // CO-15
	return it, true
}

// unanswered returns a call as an item without its answer.
func (s *state) unanswered(call spec.Event) item {
	return item{call: string(s.Same.AppendCall(nil, call)), first: call}
}

func (s *state) answer(e spec.Event) string { return string(s.Same.AppendAnswer(nil, e)) }

// MaxStep is how many calls of a step are compared.
const MaxStep = 100 // CO-17

// step returns the step that ends with event i, a reply: the calls since the previous reply, with their answers.
func (s *state) step(i int) (it item, complete bool) { // CO-16
	if s.trace[i].Type != spec.Reply {
		return item{}, false // CO-16
	}
	before := i - 1
	for before >= s.start && s.trace[before].Type != spec.Reply {
		before--
	}
	if before < s.start {
		return item{}, false // CO-16
	}
	var calls []string
	for call := before; call < i && len(calls) < MaxStep; call++ { // CO-17
		e := s.trace[call]
		if e.Type != spec.ToolCall || !s.Tools.See(e) {
			continue
		}
		if len(calls) == 0 {
			it.first = e
		}
		answer := "none"
		if at := slices.Index(s.answers[:i], call); at >= 0 && s.Same.WithAnswers() {
			answer = "one:" + s.answer(s.trace[at])
		}
		calls = append(calls, string(appendPart(appendPart(nil, s.unanswered(e).call), answer)))
	}
	if s.Same.Order == "any" {
		slices.Sort(calls)
	}
	it.call, it.blank = strings.Join(calls, ""), len(calls) == 0 // CO-17
	return it, true
}

// WithAnswers reports whether calls are compared together with their answers.
func (s Same) WithAnswers() bool { return s.Results != "none" || s.Outcome != "any" } // CO-7

// Blank reports whether an item with such an answer is blank.
func (s Same) Blank(success bool) bool { return s.Outcome != "any" && success != (s.Outcome == "ok") } // CO-15

// Succeeded reports whether an answer is a success.
func Succeeded(answer spec.Event) bool { return answer.Type == spec.ToolResult && answer.OK } // CO-2

// AppendCall appends a text that equal calls have in common, and different calls do not.
func (s Same) AppendCall(b []byte, call spec.Event) []byte { // CO-9
	b = appendPart(b, call.Tool)
	if s.By == "tool" {
		return b // CO-12
	}
	if args := kept(call.Args, s.Keep); s.KeyOrder == "kept" {
		b = appendInOrder(b, args) // CO-9
	} else {
		b = args.AppendCanonical(b) // CO-9
	}
	if s.Thought {
		b = appendPart(b, call.Thought) // CO-11
	}
	return b
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

// AppendAnswer appends a text that equal answers have in common, and different answers do not.
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

// prefix returns the first n characters of a text, or all of it if n is 0.
func prefix(text string, n int) string { // CO-14
	if n == 0 {
		return text
	}
	for at := range text {
		if n == 0 {
			return text[:at]
		}
		n--
	}
	return text
}

// appendPart appends a text so that it cannot be mistaken for a part of its neighbours.
func appendPart(b []byte, text string) []byte { // CO-9, CO-11
	b = strconv.AppendInt(b, int64(len(text)), 10)
	return append(append(b, ':'), text...)
}

// appendInOrder appends a value in canonical form, except that members keep their order.
func appendInOrder(b []byte, v spec.Value) []byte { // CO-9
	switch v.Kind() {
	case spec.Object:
		members := slices.Clone(v.Members())
		slices.SortStableFunc(members, func(a, b spec.Member) int { return cmp.Compare(rank(a.Name), rank(b.Name)) })
		for _, m := range members {
			b = append(appendInOrder(appendPart(b, m.Name), m.Value), ',')
		}
		return append(b, '}')
	case spec.Array:
		b = append(b, '[')
		for _, item := range v.Items() {
			b = append(appendInOrder(b, item), ',')
		}
		return append(b, ']')
	default:
		return v.AppendCanonical(b)
	}
}

// rank puts members whose names are array indices first, in ascending order, as JavaScript does.
func rank(name string) uint64 { // CO-9
	n, err := strconv.ParseUint(name, 10, 32)
	if err != nil || strconv.FormatUint(n, 10) != name {
		return math.MaxUint32 // which is no index either
	}
	return n
}
