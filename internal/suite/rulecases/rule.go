package rulecases

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/reference/composed"
	"github.com/loopstone/loopstone/spec"
)

// rule is a rule of a configuration, read and as it is written.
type rule struct {
	composed.Rule

	written spec.Value
}

// rulesOf returns the rules of a configuration that composed accepts; another one has none.
func rulesOf(config spec.Value) (rules []rule) {
	written := rulesIn(config)
	for i, r := range profile.RulesOf(config) {
		rules = append(rules, rule{r, written[i]})
	}
	return rules
}

// singles reports whether the items are single calls.
func (r rule) singles() bool { return r.Same.By == "call" || r.Same.By == "tool" }

// ofCalls reports whether the items are made of calls.
func (r rule) ofCalls() bool { return r.singles() || r.Same.By == "step" }

// comparesTexts reports whether the items are compared by their texts.
func (r rule) comparesTexts() bool { return r.Same.By == "message" || r.Same.By == "piece" }

// said returns a message or a piece, whichever the rule looks at.
func (r rule) said(text string) spec.Value {
	if r.Same.By == "piece" {
		return event("delta", "text", text)
	}
	return event("message", "role", "assistant", "content", text)
}

// variation is how a trace is told so that earlier rules may not see what this one does: one bit for each way.
type variation = int

// The ways. A rule that minds one of them does not speak, and another variation is tried.
const (
	otherResults variation = 1 << iota
	otherArguments
	otherThoughts
	otherKeyOrder
	userBetween
	replyBetween
	messageBetween
	strangersBetween
	succeeding
	inTurn // a few items in turn, not one again and again; only for revisits
	variations
)

// turns is how many items come in turn.
const turns = 4

// trace returns the events with which the rule reaches a rung, in a variation.
func (r rule) trace(k int, v variation) []spec.Value {
	items := r.items(max(r.Rungs[k].At, 1))
	if v&inTurn != 0 {
		items = r.itemsInTurn(max(r.Rungs[k].At, 1))
	}
	if len(items) == 0 {
		return nil
	}
	var events []spec.Value
	for i, symbol := range items {
		events = append(events, between(v, i)...)
		one := r.item(symbol, i, v)
		if r.JudgesBefore && i == len(items)-1 {
			one = one[:1]
		}
		events = append(events, one...)
	}
	if r.Same.By == "step" {
		events = append(events, event("reply"))
	}
	return events
}

// length returns how many events it takes at least until the rule reaches a rung.
func (r rule) length(k int) int {
	items := max(r.Rungs[k].At, 1)
	switch {
	case r.hasPeriods():
		items = r.lengthOfCycle(items)
	case r.Pattern.Full:
		items = max(items, r.Pattern.Last)
	case r.Pattern.Sort == "revisit":
		items++ // the first item is none
	}
	if r.Same.WithAnswers() && r.singles() || r.Same.By == "step" {
		return 2*items - 1
	}
	return items
}

// hasPeriods reports whether the rule looks for laps.
func (r rule) hasPeriods() bool { return r.Pattern.Sort == "cycle" || r.Pattern.Sort == "periodic" }

// lengthOfCycle returns how many items it takes at least until laps reach a count.
func (r rule) lengthOfCycle(at int) int {
	if r.Pattern.Sort == "periodic" {
		return max(at, 2*r.Pattern.From)
	}
	return max(at, 2) * r.Pattern.From
}

// items returns which symbols come one after the other, so that the count is reached with the last and no sooner.
func (r rule) items(at int) []int {
	var items []int
	after := 0
	if r.JudgesBefore && !r.hasPeriods() {
		after = 1 // the call that is judged is not counted
	}
	if r.Pattern.Sort == "revisit" {
		after = 1 // the first item is no revisit
	}
	if r.hasPeriods() {
		for i := range r.lengthOfCycle(at) {
			items = append(items, i%r.Pattern.From)
		}
		return items
	}
	if r.Pattern.Full {
		for i := range max(r.Pattern.Last-at, 0) {
			items = append(items, i+1)
		}
	}
	for range at + after {
		items = append(items, 0)
	}
	return items
}

// itemsInTurn returns a few symbols in turn, so that a rule of revisits reaches the count with the last; none for
// another rule.
func (r rule) itemsInTurn(at int) (items []int) {
	if r.Pattern.Sort != "revisit" {
		return nil
	}
	for i := range at + turns {
		items = append(items, i%turns)
	}
	return items
}

// between returns what stands before the item at a place.
func between(v variation, i int) (events []spec.Value) {
	if i == 0 {
		return nil
	}
	if v&userBetween != 0 {
		events = append(events, event("message", "role", "user", "content", "go on"))
	}
	if v&replyBetween != 0 {
		events = append(events, event("reply"))
	}
	if v&messageBetween != 0 {
		events = append(events, event("message", "role", "assistant", "content", "hm"))
	}
	if v&strangersBetween != 0 {
		call := event("tool_call", "tool", fmt.Sprintf("stranger-%d", i))
		events = append(events, call, event("tool_result", "content", "hm"))
	}
	return events
}

// item returns the events of an item: of which symbol, at which place of the trace.
func (r rule) item(symbol, i int, v variation) []spec.Value {
	if !r.ofCalls() {
		return []spec.Value{r.said("text " + strconv.Itoa(symbol))}
	}
	call := varied(*r.tool(symbol), i, v)
	events := []spec.Value{call}
	if r.Same.By == "step" {
		if r.Pattern.Full && symbol > 0 {
			return []spec.Value{event("reply")} // a step without calls fills the window as well
		}
		events = []spec.Value{event("reply"), call} // a call without an answer equals another such
	}
	if r.Same.WithAnswers() && r.Same.By != "step" || v&otherResults != 0 {
		events = append(events, r.result(i, v))
	}
	return events
}

// varied returns a call in a variation, at a place of the trace.
func varied(call spec.Value, i int, v variation) spec.Value {
	if v&otherArguments != 0 {
		call = call.With("args", call.Get("args").With("other", spec.IntValue(i)))
	}
	if v&otherThoughts != 0 {
		call = call.With("thought", spec.StringValue("thought "+strconv.Itoa(i)))
	}
	if v&otherKeyOrder != 0 && i%2 == 1 {
		members := slices.Clone(call.Get("args").Members())
		slices.Reverse(members)
		call = call.With("args", spec.ObjectValue(members...))
	}
	return call
}

// result returns the answer to the call at a place of the trace.
func (r rule) result(i int, v variation) spec.Value {
	text := "ok"
	if v&otherResults != 0 {
		text = "result " + strconv.Itoa(i)
	}
	result := event("tool_result", "content", text)
	if r.Same.Outcome == "failed" || v&succeeding != 0 {
		result = result.With("ok", spec.BoolValue(false))
	}
	return result
}

// plainTools are names that lists seldom have.
var plainTools = []string{"t", "tool"}

// tool returns a call that the rule sees and may speak of, and rather one that it does not take for a change; nil where
// there is none among those that its lists suggest.
func (r rule) tool(symbol int) *spec.Value {
	var found, changes []spec.Value
	for i, name := range append(plainTools[:len(plainTools):len(plainTools)], r.suggested()...) {
		if r.Same.By == "tool" && i < len(plainTools) && symbol > 0 {
			name += strconv.Itoa(symbol)
		}
		call := called(name, symbol)
		switch event, _ := spec.DecodeEvent(call); { // it is one
		case r.Tools.Exclude(event) || r.Tools.Mute(event):
		case r.Changes.Contain(event):
			changes = append(changes, call)
		default:
			found = append(found, call)
		}
	}
	found = append(found, changes...)
	if len(found) == 0 {
		return nil
	}
	if r.Same.By == "tool" {
		return &found[min(symbol, len(found)-1)]
	}
	return &found[0]
}

// hasNoCall proves that the rule sees no call that it may speak of: it leaves out all, or the ones that it asks for by
// their whole names, which [rule.tool] has tried.
func (r rule) hasNoCall() bool {
	if r.tool(0) != nil {
		return false
	}
	all, whole, named := false, true, false
	for _, m := range r.written.Get("tools").Members() {
		for _, text := range m.Value.Texts() {
			if m.Name == "except" || m.Name == "silent" {
				all = all || text == "*"
				continue
			}
			named, whole = true, whole && !strings.ContainsAny(text, "*?")
		}
	}
	return all || named && whole
}

// suggested lists the names of tools that the rule's own lists begin with.
func (r rule) suggested() []string {
	tools := r.written.Get("tools")
	return slices.Concat(tools.Get("only").Texts(), tools.Get("watched").Texts())
}

// called returns a call that a tool pattern has.
func called(pattern string, symbol int) spec.Value {
	name, condition, _ := strings.Cut(pattern, "?")
	args := spec.ObjectValue(spec.Member{Name: "n", Value: spec.IntValue(symbol)})
	if member, text, has := strings.Cut(condition, "="); has {
		args = args.With(member, spec.StringValue(text))
	}
	return event("tool_call", "tool", strings.ReplaceAll(name, "*", "x")).With("args", args)
}

// event returns an event with members that are texts.
func event(typ string, members ...string) spec.Value {
	v := spec.ObjectValue(spec.Member{Name: "type", Value: spec.StringValue(typ)})
	for i := 0; i < len(members); i += 2 {
		v = v.With(members[i], spec.StringValue(members[i+1]))
	}
	return v
}
