package fuzz

import (
	"context"
	"slices"
	"time"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// shrinker makes a counterexample small: of all subjects that one change leads to and that still fail, it goes on with
// the first that is simpler, until none is.
type shrinker struct {
	fails  func(Subject) bool
	over   func() bool
	isOver bool // no more is accepted
	best   Subject
	tried  map[string]bool // JSON of the subjects that were found not to fail
}

// shrink returns the simplest subject that it reaches before it is over.
func shrink(s Subject, over func() bool, fails func(Subject) bool) Subject {
	sh := &shrinker{fails: fails, over: over, best: s, tried: map[string]bool{}}
	passes := []func() bool{
		sh.simplestTraces, sh.dropSteps, sh.simplerSettings, sh.oneSession, sh.simplerEvents, sh.simplerValues,
	}
	for changed := true; changed && !sh.isOver; {
		changed = false
		for _, pass := range passes {
			for !sh.isOver && pass() {
				changed = true
			}
		}
	}
	return sh.best
}

// accept takes a candidate that is simpler than the best and still fails. When all is over it takes none and says that
// it did, so that the pass that asks ends at once: a long trace has millions of candidates.
func (sh *shrinker) accept(candidate Subject) bool {
	if sh.isOver = sh.isOver || sh.over(); sh.isOver {
		return true
	}
	if compareSubjects(candidate, sh.best) >= 0 {
		return false
	}
	key := candidate.Value().String()
	if sh.tried[key] {
		return false
	}
	if !hasTwoFaults(candidate.Trace) && sh.fails(candidate) {
		sh.best = candidate
		return true
	}
	sh.tried[key] = true
	return false
}

// hasTwoFaults reports whether a configuration is refused, and still is without any one of its members. Of two faults a
// port may name either, so that its answer shows nothing.
func hasTwoFaults(t laws.Trace) bool {
	refused := func(config spec.Value) bool {
		_, err := reference.Port().Open(context.Background(), t.Detector, t.Reading, config)
		return err != nil
	}
	members := t.Config.Members()
	return len(members) > 1 && refused(t.Config) && !slices.ContainsFunc(members, func(m spec.Member) bool {
		return !refused(t.Config.Without(m.Name))
	})
}

// simplest are events that other events may be replaced by. Two of them are alike by 90 percent, where [spec.Ralph]
// draws the line.
var simplest = spec.MustParse(`[
	{"type":"output","text":""}, {"type":"tool_call","tool":""}, {"type":"error","message":""},
	{"type":"output","text":"aaaaaaaaaa"}, {"type":"output","text":"aaaaaaaaab"}
]`).Items()

// simplestTraces tries two of the simplest events with the defaults, whatever the trace was.
func (sh *shrinker) simplestTraces() bool {
	s := sh.best
	s.Config = spec.Value{}
	for _, first := range simplest {
		for _, second := range simplest {
			s.Steps = []laws.Step{{Event: first}, {Event: second}}
			if !s.IsCall() && sh.accept(s) {
				return true
			}
		}
	}
	return false
}

// dropSteps leaves out runs of steps, long ones first.
func (sh *shrinker) dropSteps() bool { return sh.acceptWithout(sh.best, len(sh.best.Steps)) }

// acceptWithout accepts a subject with at most so many steps in a row left out, many rather than few.
func (sh *shrinker) acceptWithout(s Subject, most int) bool {
	steps := s.Steps
	for size := most; size >= 1; size /= 2 {
		for i := 0; i+size <= len(steps); i++ {
			s.Steps = slices.Concat(steps[:i], steps[i+size:])
			if sh.accept(s) {
				return true
			}
		}
	}
	return false
}

// simplerSettings makes the configuration simpler, or lowers a setting, alone or together with leaving out steps: a
// lower threshold often needs fewer events. What of it is not needed goes later.
func (sh *shrinker) simplerSettings() bool {
	config := sh.best.Config
	candidates := slices.Concat([]spec.Value{{}}, sh.lowered(), simpler(config))
	return slices.ContainsFunc(candidates, func(config spec.Value) bool {
		s := sh.best
		if s.Config = config; len(config.Members()) == 0 {
			s.Config = spec.Value{} // the default
		}
		isConfig := config.IsAbsent() || config.Kind() == spec.Object
		return isConfig && (sh.accept(s) || sh.acceptWithout(s, len(s.Steps)-1))
	})
}

// lowered returns the configuration with low settings, each alone and all at once.
func (sh *shrinker) lowered() (configs []spec.Value) {
	definition, _ := spec.DefinitionOf(sh.best.Detector)
	all := spec.ObjectValue(sh.best.Config.Members()...)
	for _, m := range lowest(definition.SettingsIn(sh.best.Reading), sh.best.Reading) {
		values := []spec.Value{m.Value}
		if m.Value.Kind() == spec.Number {
			values = append(values, spec.IntValue(2), spec.IntValue(3))
		}
		for _, v := range values {
			configs = append(configs, spec.ObjectValue(sh.best.Config.Members()...).With(m.Name, v))
		}
		all = all.With(m.Name, m.Value)
	}
	return append(configs, all)
}

// lowest returns the settings that let the rules that are on by default report after the fewest events.
func lowest(settings []spec.Parameter, r spec.Reading) []spec.Member {
	var members []spec.Member
	for _, p := range settings {
		_, isNumber := p.Usual(r).Int()
		switch {
		case p.Kind == spec.Object && p.Members != nil:
			inner := lowest(slices.DeleteFunc(slices.Clone(p.Members), isWindow), r)
			members = append(members, spec.Member{Name: p.Name, Value: spec.ObjectValue(inner...)})
		case isNumber && p.Use != spec.Percent && p.Use != spec.Interval:
			members = append(members, spec.Member{Name: p.Name, Value: spec.IntValue(1)})
		}
	}
	return members
}

func isWindow(p spec.Parameter) bool { return p.Use == spec.Window }

// mapSteps returns the best with a change made to each of its steps.
func (sh *shrinker) mapSteps(change func(i int, step *laws.Step)) Subject {
	s := sh.best
	s.Steps = slices.Clone(s.Steps)
	for i := range s.Steps {
		change(i, &s.Steps[i])
	}
	return s
}

// oneSession gives the steps of all sessions but the first few to one of them, or lets the first few change places.
func (sh *shrinker) oneSession() bool {
	for n := range sh.best.Steps {
		merged := sh.mapSteps(func(_ int, step *laws.Step) { step.Session = min(step.Session, n) })
		if sh.accept(merged) || sh.accept(sh.mapSteps(func(_ int, step *laws.Step) {
			if step.Session <= n {
				step.Session = n - step.Session
			}
		})) {
			return true
		}
	}
	return false
}

// simplerEvents makes a change to an event and to all that equal it, or to it alone, or puts another event of the trace
// in its place; or it makes a change to the arguments of a function.
func (sh *shrinker) simplerEvents() bool {
	for i, step := range sh.best.Steps {
		if step.IsReset() {
			continue
		}
		for _, event := range slices.Concat(simplest, sh.best.Events(), simplerEvents(step.Event)) {
			all := sh.mapSteps(func(_ int, other *laws.Step) {
				if other.Event.Equal(step.Event) {
					other.Event = event
				}
			})
			if sh.accept(all) || sh.accept(sh.mapSteps(func(k int, other *laws.Step) {
				if k == i {
					other.Event = event
				}
			})) {
				return true
			}
		}
	}
	return slices.ContainsFunc(simpler(sh.best.Args), func(args spec.Value) bool {
		s := sh.best
		s.Args = args
		return sh.accept(s)
	})
}

// simplerEvents returns the events that one change makes of an event; its type stays.
func simplerEvents(event spec.Value) []spec.Value {
	typ := event.Get("type")
	return slices.DeleteFunc(simpler(event), func(v spec.Value) bool {
		_, err := spec.DecodeEvent(v)
		return err != nil || !v.Get("type").Equal(typ)
	})
}

// simplerValues makes the same change wherever a value, or a name of an argument, stands in the events, so that what
// repeats goes on repeating.
func (sh *shrinker) simplerValues() bool {
	var values []spec.Value
	sh.rewritten(func(v spec.Value) spec.Value {
		if !slices.ContainsFunc(values, v.Equal) {
			values = append(values, v)
		}
		return v
	})
	for _, old := range values {
		for _, by := range append(simpler(old), spec.Value{}) {
			if sh.accept(sh.rewritten(func(v spec.Value) spec.Value {
				if v.Equal(old) {
					return by
				}
				return v
			})) {
				return true
			}
		}
	}
	return false
}

// rewritten returns the best with a change made to the values in its events. The members of an event keep their kinds,
// which the protocol demands.
func (sh *shrinker) rewritten(change func(spec.Value) spec.Value) Subject {
	return sh.mapSteps(func(_ int, step *laws.Step) {
		for _, m := range step.Event.Members() {
			v := rewritten(m.Value, change)
			if m.Name != "type" && m.Name != "role" && v.Kind() == m.Value.Kind() {
				step.Event = step.Event.With(m.Name, v)
			}
		}
	})
}

// rewritten changes a value and what is in it. An item goes if the change leaves nothing of it, a member also if it
// leaves no name.
func rewritten(v spec.Value, change func(spec.Value) spec.Value) spec.Value {
	if changed := change(v); !changed.Equal(v) {
		return changed
	}
	switch v.Kind() {
	case spec.Array:
		var items []spec.Value
		for _, item := range v.Items() {
			if item = rewritten(item, change); !item.IsAbsent() {
				items = append(items, item)
			}
		}
		return spec.ArrayValue(items...)
	case spec.Object:
		o := spec.ObjectValue()
		for _, m := range v.Members() {
			name, _ := change(spec.StringValue(m.Name)).Str()
			if inner := rewritten(m.Value, change); !inner.IsAbsent() && (name != "" || m.Name == "") {
				o = o.With(name, inner)
			}
		}
		return o
	default:
		return v
	}
}

// ShrinkEvents returns the simplest trace of one agent that shrinking these events leads to, and for which holds is
// true. It assumes that it is true of the events themselves. The limit bounds the time.
func ShrinkEvents(events []spec.Value, limit time.Duration, holds func([]spec.Value) bool) []spec.Value {
	steps := make([]laws.Step, len(events))
	for i, event := range events {
		steps[i].Event = event
	}
	end := time.Now().Add(limit)
	over := func() bool { return time.Now().After(end) }
	smallest := shrink(Subject{Trace: laws.Trace{Steps: steps}}, over, func(s Subject) bool { return holds(s.Events()) })
	return smallest.Events()
}
