package profile

import (
	"slices"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/reference/composed"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

// Mapped is a type of event that the rules of a profile look at.
type Mapped struct {
	Type     spec.EventType
	Original string   // what it is in the original, in its own terms
	Rungs    []string // that may be reported after such an event
}

// readEvents reads what the types of events are in the original.
func (p *Profile) readEvents(n *strictyaml.Node) error {
	readers := map[string]strictyaml.Reader{}
	for _, t := range spec.EventTypes() {
		readers[string(t)] = func(n *strictyaml.Node) error {
			p.Events = append(p.Events, Mapped{Type: t, Original: n.Text})
			return strictyaml.Str(new(string))(n)
		}
	}
	return n.Read(readers)
}

// mapEvents adds the rungs to the events. The rules must look at these types of events, and at no others.
func (p *Profile) mapEvents(n *strictyaml.Node) error {
	var looked []spec.EventType
	for _, s := range sightsOf(p.ID(), p.config) {
		looked = append(looked, s.looksAt...)
		for i, m := range p.Events {
			for _, rung := range s.rungs {
				if slices.Contains(s.reportsAt, m.Type) && !slices.Contains(m.Rungs, rung) {
					p.Events[i].Rungs = append(p.Events[i].Rungs, rung)
				}
			}
		}
	}
	want := lists.Filter(spec.EventTypes(), func(t spec.EventType) bool { return slices.Contains(looked, t) })
	for i, t := range want {
		if i >= len(p.Events) || p.Events[i].Type != t || len(want) != len(p.Events) {
			return n.Problemf("events: want %s, in this order: the rules look at them", wording.Join(want, ", "))
		}
	}
	return nil
}

// sight is what a rule looks at, and what it reports when. A rule of stream has no rungs; it reports its kind.
type sight struct {
	looksAt, reportsAt []spec.EventType
	rungs              []string
}

// sightsOf returns the sights of all rules of a configuration.
func sightsOf(id spec.DetectorID, config spec.Value) (list []sight) {
	if id.Row() == spec.Stream {
		return streamSights(config)
	}
	for _, r := range RulesOf(config) {
		s := sight{looksAt: looksAt(r), reportsAt: reportsAt(r)}
		for _, rung := range r.Rungs {
			s.rungs = append(s.rungs, rung.Name)
		}
		list = append(list, s)
	}
	return list
}

// streamSights are the same for every rule: it reports its kind after a piece.
func streamSights(config spec.Value) (list []sight) {
	c := StreamOf(config)
	looksAt := []spec.EventType{spec.Delta}
	for _, start := range c.Fresh {
		looksAt = append(looksAt, startsAt[start])
	}
	for _, kind := range c.Rules {
		list = append(list, sight{looksAt, []spec.EventType{spec.Delta}, []string{string(kind)}})
	}
	return list
}

// Needs returns the features without which a port does not see all that the rules look at.
func (p Profile) Needs() []spec.Feature {
	seen := func(m Mapped) bool { return spec.NeedsReplies(string(m.Type)) }
	thinks := func(rule spec.Value) bool { return rule.Get("same").Get("thought").IsTrue() }
	if slices.ContainsFunc(p.Events, seen) || slices.ContainsFunc(p.Rules(), thinks) {
		return []spec.Feature{spec.Replies}
	}
	return nil
}

// looksAt returns the types of events that change what a rule counts.
func looksAt(r composed.Rule) []spec.EventType {
	types := slices.Clone(madeOf[r.Same.By])
	if r.Same.WithAnswers() && slices.Contains(types, spec.ToolCall) || slices.Contains(r.Fresh, "change") {
		types = append(types, spec.ToolResult, spec.ErrorEvent)
	}
	for _, start := range r.Fresh {
		if t, isOne := startsAt[start]; isOne {
			types = append(types, t)
		}
	}
	return types
}

// madeOf are the types of events that items are made of, without answers; an event of the last type completes an item.
var madeOf = map[string][]spec.EventType{
	"call": {spec.ToolCall}, "tool": {spec.ToolCall}, "step": {spec.ToolCall, spec.Reply},
	"speech": {spec.Message}, "message": {spec.Message}, "piece": {spec.Delta},
}

// startsAt are the types of events at which rules start afresh, by the words of their setting. A change is a result.
var startsAt = map[string]spec.EventType{
	"user": spec.Message, "message": spec.Message, "reply": spec.Reply, "call": spec.ToolCall,
}

// reportsAt returns the types of events after which a rule may report a loop that it has not reported before.
func reportsAt(r composed.Rule) []spec.EventType {
	types := madeOf[r.Same.By]
	switch completing := types[len(types)-1]; {
	case completing != spec.ToolCall || !r.Same.WithAnswers() || r.JudgesBefore:
		return []spec.EventType{completing}
	case r.Same.Outcome == "ok":
		return []spec.EventType{spec.ToolResult}
	default:
		return []spec.EventType{spec.ToolResult, spec.ErrorEvent}
	}
}
