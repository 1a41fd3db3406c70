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
		sh.plainTraces, sh.dropSteps, sh.lowestSettings, sh.simplerSettings, sh.otherEvents, sh.oneSession,
		sh.simplerValues, sh.sortSteps,
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

// withSteps returns the best with other steps.
func (sh *shrinker) withSteps(steps []laws.Step) Subject {
	s := sh.best
	s.Steps = steps
	return s
}

// mapSteps returns the best with a change made to each of its steps.
func (sh *shrinker) mapSteps(change func(i int, step *laws.Step)) Subject {
	steps := slices.Clone(sh.best.Steps)
	for i := range steps {
		change(i, &steps[i])
	}
	return sh.withSteps(steps)
}

// dropSteps leaves out runs of steps, long ones first, and then two steps at once, where neither can go alone.
func (sh *shrinker) dropSteps() bool {
	for size := len(sh.best.Steps); size >= 1; size /= 2 {
		if sh.acceptWithout(sh.best, size) {
			return true
		}
	}
	const most = 24 // pairs grow with the square
	n := len(sh.best.Steps)
	for i := 0; i < n && n <= most; i++ {
		for j := i + 1; j < n; j++ {
			if sh.accept(sh.withSteps(slices.Concat(sh.best.Steps[:i], sh.best.Steps[i+1:j], sh.best.Steps[j+1:]))) {
				return true
			}
		}
	}
	return false
}

// acceptWithout accepts a subject with that many steps in a row left out.
func (sh *shrinker) acceptWithout(s Subject, size int) bool {
	steps := s.Steps
	for i := 0; i+size <= len(steps); i++ {
		s.Steps = slices.Concat(steps[:i], steps[i+size:])
		if sh.accept(s) {
			return true
		}
	}
	return false
}

// withConfig returns the best with another configuration; an empty one is the default.
func (sh *shrinker) withConfig(config spec.Value) Subject {
	s := sh.best
	s.Config = config
	if len(config.Members()) == 0 {
		s.Config = spec.Value{}
	}
	return s
}

// simplerSettings leaves out all of the configuration or a part of it, or makes a part simpler, alone or together with
// leaving out a step: a lower threshold often needs fewer events.
func (sh *shrinker) simplerSettings() bool {
	for _, config := range append([]spec.Value{{}}, simpler(sh.best.Config)...) {
		if config.Kind() != spec.Object && !config.IsAbsent() {
			continue
		}
		if s := sh.withConfig(config); sh.accept(s) || sh.acceptWithout(s, 1) {
			return true
		}
	}
	return false
}

// lowestSettings tries low settings, one by one and all at once, together with leaving out steps that they make
// needless. What of them is not needed goes in a later pass.
func (sh *shrinker) lowestSettings() bool {
	definition, _ := spec.DefinitionOf(sh.best.Detector)
	settings := definition.SettingsIn(sh.best.Reading)
	all, thresholds := lowest(settings, sh.best.Reading, true), lowest(settings, sh.best.Reading, false)
	sets := [][]spec.Member{all, thresholds}
	for _, m := range all {
		values := []spec.Value{m.Value}
		if m.Value.Kind() == spec.Number {
			values = append(values, spec.IntValue(2), spec.IntValue(3))
		}
		for _, v := range values {
			sets = append(sets, []spec.Member{{Name: m.Name, Value: v}})
		}
	}
	return slices.ContainsFunc(sets, func(members []spec.Member) bool {
		config := spec.ObjectValue(sh.best.Config.Members()...)
		for _, m := range members {
			config = config.With(m.Name, m.Value)
		}
		s := sh.withConfig(config)
		for size := len(s.Steps) - 1; size >= 1; size-- {
			if sh.acceptWithout(s, size) {
				return true
			}
		}
		return false
	})
}

// lowest returns the settings that let the rules that are on by default report after the fewest events; without those
// that are windows where they are not wanted. Of a detector within another only the thresholds are lowered.
func lowest(settings []spec.Parameter, r spec.Reading, windows bool) []spec.Member {
	var members []spec.Member
	for _, p := range settings {
		_, isNumber := p.Usual(r).Int()
		switch {
		case p.Kind == spec.Object && p.Members != nil:
			members = append(members, spec.Member{Name: p.Name, Value: spec.ObjectValue(lowest(p.Members, r, false)...)})
		case isNumber && p.Use != spec.Percent && p.Use != spec.Interval && (windows || p.Use != spec.Window):
			members = append(members, spec.Member{Name: p.Name, Value: spec.IntValue(1)})
		}
	}
	return members
}

// plain holds the simplest events of each sort, and two outputs that are alike by 90 percent, where [spec.Ralph] draws
// the line.
var plain = spec.MustParse(`[
	{"type":"output","text":""}, {"type":"tool_call","tool":""}, {"type":"tool_call","tool":"","worker":""},
	{"type":"test_run","passed":false}, {"type":"error","message":""}, {"type":"output","text":"a"},
	{"type":"output","text":"aaaaaaaaaa"}, {"type":"output","text":"aaaaaaaaab"}
]`).Items()

// plainTraces tries two plain events with the defaults, whatever the trace was.
func (sh *shrinker) plainTraces() bool {
	defaults := sh.withConfig(spec.Value{})
	for _, first := range plain {
		for _, second := range plain {
			defaults.Steps = []laws.Step{{Event: first}, {Event: second}}
			if !defaults.IsCall() && sh.accept(defaults) {
				return true
			}
		}
	}
	return false
}

// otherEvents puts a plain event, or another one of the trace, in place of an event or of all that are equal to it.
func (sh *shrinker) otherEvents() bool {
	events := slices.Concat(plain, sh.best.Events())
	for i, step := range sh.best.Steps {
		for _, event := range events {
			if !step.IsReset() && (sh.accept(sh.replaced(step.Event, event)) || sh.accept(sh.withEvent(i, event))) {
				return true
			}
		}
	}
	return false
}

// replaced returns the best with one event in place of all that equal another.
func (sh *shrinker) replaced(old, event spec.Value) Subject {
	return sh.mapSteps(func(_ int, step *laws.Step) {
		if step.Event.Equal(old) {
			step.Event = event
		}
	})
}

// withEvent returns the best with another event at a step.
func (sh *shrinker) withEvent(i int, event spec.Value) Subject {
	return sh.mapSteps(func(k int, step *laws.Step) {
		if k == i {
			step.Event = event
		}
	})
}

// oneSession gives the steps of all sessions but the first few to one of them, or lets two change places.
func (sh *shrinker) oneSession() bool {
	for n := range sh.best.Steps {
		if sh.accept(sh.mapSteps(func(_ int, step *laws.Step) { step.Session = min(step.Session, n) })) ||
			sh.accept(sh.mapSteps(func(_ int, step *laws.Step) {
				if step.Session <= n {
					step.Session = n - step.Session
				}
			})) {
			return true
		}
	}
	return false
}

// simplerValues makes a change to an event, or to the arguments of a function; the same change to all events that are
// equal; or a change to every text and name at once, so that what repeats goes on repeating.
func (sh *shrinker) simplerValues() bool {
	for i, step := range sh.best.Steps {
		for _, event := range simplerEvents(step.Event) {
			if sh.accept(sh.replaced(step.Event, event)) || sh.accept(sh.withEvent(i, event)) {
				return true
			}
		}
	}
	for _, args := range simpler(sh.best.Args) {
		s := sh.best
		if s.Args = args; sh.accept(s) {
			return true
		}
	}
	return slices.ContainsFunc(rewritings(sh.best), func(r rewriting) bool { return sh.accept(r.of(sh.best)) })
}

// sortSteps swaps two steps where that gives the simpler text.
func (sh *shrinker) sortSteps() bool {
	for i := range sh.best.Steps {
		for j := i + 1; j < len(sh.best.Steps); j++ {
			steps := slices.Clone(sh.best.Steps)
			steps[i], steps[j] = steps[j], steps[i]
			if sh.accept(sh.withSteps(steps)) {
				return true
			}
		}
	}
	return false
}

// ShrinkEvents returns the simplest trace of one agent that the canonical pass reaches from these events, and for which
// holds is true. It assumes that it is true of the events themselves. The limit bounds the time.
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

// simplerEvents returns the events that one change makes of an event; its type stays.
func simplerEvents(event spec.Value) []spec.Value {
	typ := event.Get("type")
	return slices.DeleteFunc(simpler(event), func(v spec.Value) bool {
		_, err := spec.DecodeEvent(v)
		return err != nil || !v.Get("type").Equal(typ)
	})
}
