package composed

import (
	"math"
	"slices"

	"github.com/loopstone/loopstone/reference/parts/memory"
	"github.com/loopstone/loopstone/spec"
)

// item is a thing that a rule compares: a call, a call with its answer, a step, a message or a piece of text. What is
// compared stands as digests, so that items are small.
type item struct {
	Call    memory.Digest `json:"call,omitzero"`     // of the call, of a step with its answers, or of a text
	Answer  memory.Digest `json:"answer,omitzero"`   // of the answer to the call, if answers are compared
	Blank   bool          `json:"blank,omitempty"`   // a blank item equals no item, not even itself
	Muted   bool          `json:"muted,omitempty"`   // the rule does not report at it
	Revisit bool          `json:"revisit,omitempty"` // it equals one of the items recorded shortly before it
	index   memory.Index  // evidence names the call, the first call of the step, the message or the piece
}

func (it *item) equals(other *item) bool { // CO-9, CO-16
	return !it.Blank && !other.Blank && it.Call == other.Call && it.Answer == other.Answer
}

// hasCallOf reports whether two items have equal calls, whatever the answers.
func (it *item) hasCallOf(other *item) bool { return it.Call == other.Call }

// completed returns the item that the latest event completes, and whether it completes one.
func (s *state) completed(e event) (it item, complete bool) {
	switch {
	case s.Same.By == "step":
		return s.step(e)
	case s.Same.By == "speech" || s.Same.By == "message":
		return s.text(e, e.Content), e.Role == spec.Assistant // CO-18, CO-46
	case s.Same.By == "piece":
		return s.text(e, e.Text), e.Channel == spec.Answer // CO-46
	case e.call == nil || e.Excluded || s.Same.WithAnswers() == (e.Type == spec.ToolCall): // CO-7, CO-21
		return item{}, false
	case !s.Same.WithAnswers():
		return e.callItem(), true
	default:
		it = e.callItem()
		it.Answer = s.Same.digestOfAnswer(*e.Event)
		it.Blank = s.Same.Blank(succeeded(e.Event)) // CO-15
		return it, true
	}
}

// text returns the item that a message, or a piece, of this text is.
func (s *state) text(e event, text string) item {
	it := item{index: memory.IndexOf(*e.Event)}
	if s.Same.By != "speech" { // CO-46
		it.Call, it.Blank = memory.DigestOf([]byte(text)), text == ""
	}
	return it
}

// timeOf returns the time of an event in milliseconds; nil if it has none, or if the rule does not ask for it.
func (r *Rule) timeOf(e event) *float64 {
	if r.Pattern.Seconds > 0 && e.HasAt && !math.IsInf(e.At, 0) { // CO-48
		at := e.At // alone, without the event
		return &at
	}
	return nil
}

// callItem returns the item that a call without its answer is.
func (e event) callItem() item { return item{Call: e.Compared, Muted: e.Muted, index: e.call.index} }

// WithAnswers reports whether an item is a call together with its answer.
func (s Same) WithAnswers() bool { return s.Results != "none" || s.Outcome != "any" } // CO-7

// Blank reports whether an item is blank whose answer is a success, or is a failure.
func (s Same) Blank(success bool) bool { return s.Outcome != "any" && success != (s.Outcome == "ok") } // CO-15

// succeeded reports whether an answer is a success.
func succeeded(answer *spec.Event) bool { return answer.Type == spec.ToolResult && answer.OK } // CO-2

// step is the step that the next reply completes.
type step struct { // CO-16
	Open  bool                `json:"open"` // a reply began it; other calls belong to no step
	Calls memory.Window[part] `json:"calls"`
}

// IsZero reports whether no step is open.
func (s step) IsZero() bool { return !s.Open }

// part is a call of a step.
type part struct {
	Number memory.Count  `json:"number"` // of the call, by which its answer finds it
	Call   memory.Digest `json:"call"`
	Answer memory.Digest `json:"answer,omitzero"` // zero if the call has none, or if answers are not compared
	index  memory.Index
}

// maxStep is how many calls of a step are compared.
const maxStep = 100 // CO-17

// step adds the event to the unfinished step, and returns the step if the event, a reply, completes it.
func (s *state) step(e event) (it item, complete bool) { // CO-16
	calls := s.Step.Calls.Items()
	switch {
	case e.Type == spec.Reply:
		it, complete = s.stepItem(calls), s.Step.Open
		s.Step.Open = true
		s.Step.Calls.Reset()
	case e.call == nil || e.Excluded: // CO-21
	case e.Type != spec.ToolCall:
		at := slices.IndexFunc(calls, func(c part) bool { return c.Number == e.call.Number })
		if at >= 0 {
			calls[at].Answer = s.Same.digestOfAnswer(*e.Event)
		}
	case len(calls) < maxStep: // CO-17
		s.Step.Calls.Add(part{Number: e.call.Number, Call: e.Compared, index: e.call.index})
	}
	return it, complete
}

// stepItem returns the item that a step with these calls is.
func (r *Rule) stepItem(calls []part) item {
	if len(calls) == 0 {
		return item{Blank: true} // CO-17
	}
	first := calls[0].index
	if r.Same.Order == "any" {
		slices.SortFunc(calls, part.compare)
	}
	var text []byte
	for _, c := range calls {
		text = append(append(text, c.Call[:]...), c.Answer[:]...)
	}
	return item{Call: memory.DigestOf(text), index: first}
}
