package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// rule is what must be known of a rule to build its traces.
type rule struct {
	written spec.Value

	name, by, sort, counts string
	results, before        bool // it looks at results; it judges before
	failed                 bool // results must have failed
	last, from, to         int
	full, silences         bool
	fresh                  []string
	rungs                  []rung
}

type rung struct {
	name, speaks string
	at           int
}

// read takes apart a configuration that the detector has taken.
func read(config spec.Value) []rule {
	list := config.Get("rules").Items()
	if config.Get("rules").IsAbsent() {
		list = []spec.Value{spec.ObjectValue()}
	}
	rules := make([]rule, len(list))
	for i, v := range list {
		rules[i] = readRule(i, v)
	}
	return rules
}

func readRule(i int, v spec.Value) rule {
	same, pattern := v.Get("same"), v.Get("pattern")
	r := rule{
		written: v, name: word(v, "name", strconv.Itoa(i+1)),
		by: word(same, "by", "call"), sort: word(pattern, "sort", "run"),
		counts: word(pattern, "counts", "current"), before: word(v, "judged", "after") == "before",
		results: word(same, "results", "none") != "none" || word(same, "outcome", "any") != "any",
		failed:  word(same, "outcome", "any") == "failed", full: pattern.Get("full").IsTrue(),
		last: number(pattern, "last", 20), from: number(pattern, "from", 2), to: number(pattern, "to", 5),
		silences: len(v.Get("tools").Get("silent").Items())+len(v.Get("tools").Get("watched").Items()) > 0,
	}
	for _, f := range v.Get("fresh").Items() {
		start, _ := f.Str()
		r.fresh = append(r.fresh, start)
	}
	rungs := v.Get("rungs").Items()
	if len(rungs) == 0 {
		rungs = []spec.Value{spec.ObjectValue()}
	}
	for k, g := range rungs {
		r.rungs = append(r.rungs, rung{word(g, "name", strconv.Itoa(k+1)), word(g, "speaks", "each"), number(g, "at", 3)})
	}
	return r
}

func word(v spec.Value, name, usual string) string {
	text, _ := v.Get(name).Str()
	return cmp.Or(text, usual)
}

func number(v spec.Value, name string, usual int) int {
	if n, ok := v.Get(name).Int(); ok {
		return n
	}
	return usual
}

// text is a member as it is written.
func (r rule) text(name string) string { return r.written.Get(name).Canonical() }

// singles reports whether the items are single calls.
func (r rule) singles() bool { return r.by == "call" || r.by == "tool" }

// ofCalls reports whether the items are made of calls.
func (r rule) ofCalls() bool { return r.singles() || r.by == "step" }

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
	variations
)

// trace returns the events with which the rule reaches a rung, in a variation.
func (r rule) trace(k int, v variation) []spec.Value {
	items := r.items(max(r.rungs[k].at, 1))
	var events []spec.Value
	for i, symbol := range items {
		events = append(events, between(v, i)...)
		one := r.item(symbol, i, v)
		if r.before && i == len(items)-1 {
			one = one[:1]
		}
		events = append(events, one...)
	}
	if r.by == "step" {
		events = append(events, event("reply"))
	}
	return events
}

// items returns which symbols come one after the other, so that the count is reached with the last and no sooner.
func (r rule) items(at int) []int {
	var items []int
	after := 0
	if r.before && r.sort != "cycle" {
		after = 1 // the call that is judged is not counted
	}
	if r.sort == "cycle" {
		for range max(at, 2) {
			for i := range r.from {
				items = append(items, i)
			}
		}
		return items
	}
	if r.full {
		for i := range max(r.last-at, 0) {
			items = append(items, i+1)
		}
	}
	for range at + after {
		items = append(items, 0)
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
	if !r.singles() && r.by != "step" {
		return []spec.Value{event("message", "role", "assistant", "content", "message "+strconv.Itoa(symbol))}
	}
	call := varied(*r.tool(symbol), i, v)
	events := []spec.Value{call}
	if r.by == "step" {
		if r.full && symbol > 0 {
			return []spec.Value{event("reply")} // a step without calls fills the window as well
		}
		events = []spec.Value{event("reply"), call} // a call without an answer equals another such
	}
	if r.results && r.by != "step" || v&otherResults != 0 {
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
	if r.failed || v&succeeding != 0 {
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
		if r.by == "tool" && i < len(plainTools) && symbol > 0 {
			name += strconv.Itoa(symbol)
		}
		call := called(name, symbol)
		switch tools := r.written.Get("tools"); {
		case !isIn(tools.Get("only"), call) || !isIn(tools.Get("watched"), call),
			anyMatches(tools.Get("except").Items(), call), anyMatches(tools.Get("silent").Items(), call):
		case anyMatches(r.written.Get("changes").Items(), call):
			changes = append(changes, call)
		default:
			found = append(found, call)
		}
	}
	found = append(found, changes...)
	if len(found) == 0 {
		return nil
	}
	if r.by == "tool" {
		return &found[min(symbol, len(found)-1)]
	}
	return &found[0]
}

// isIn reports whether a list that names calls, if it names any, has the call.
func isIn(list spec.Value, call spec.Value) bool {
	return len(list.Items()) == 0 || anyMatches(list.Items(), call)
}

// hasNoCall proves that the rule sees no call that it may speak of: it leaves out all, or the ones that it asks for by
// their whole names, which [rule.tool] has tried.
func (r rule) hasNoCall() bool {
	if r.tool(0) != nil {
		return false
	}
	all, whole, named := false, true, false
	tools := r.written.Get("tools")
	for _, m := range tools.Members() {
		for _, v := range m.Value.Items() {
			text, _ := v.Str()
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
func (r rule) suggested() (names []string) {
	for _, list := range []string{"only", "watched"} {
		for _, v := range r.written.Get("tools").Get(list).Items() {
			name, _ := v.Str()
			names = append(names, name)
		}
	}
	return names
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

// anyMatches reports whether one of the tool patterns has a call.
func anyMatches(patterns []spec.Value, call spec.Value) bool {
	return slices.ContainsFunc(patterns, func(p spec.Value) bool {
		text, _ := p.Str()
		name, condition, _ := strings.Cut(text, "?")
		member, want, has := strings.Cut(condition, "=")
		got, _ := call.Get("args").Get(member).Str()
		tool, _ := call.Get("tool").Str()
		return (!has || got == want) && like(strings.Split(name, "*"), tool)
	})
}

// like reports whether a name consists of the parts, with any text between them.
func like(parts []string, name string) bool {
	if len(parts) == 1 {
		return parts[0] == name
	}
	rest, begins := strings.CutPrefix(name, parts[0])
	if !begins {
		return false
	}
	for i := range len(rest) + 1 {
		if like(parts[1:], rest[i:]) {
			return true
		}
	}
	return false
}

// event returns an event with members that are texts.
func event(typ string, members ...string) spec.Value {
	v := spec.ObjectValue(spec.Member{Name: "type", Value: spec.StringValue(typ)})
	for i := 0; i < len(members); i += 2 {
		v = v.With(members[i], spec.StringValue(members[i+1]))
	}
	return v
}
