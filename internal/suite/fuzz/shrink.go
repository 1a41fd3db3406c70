package fuzz

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// shrinker makes a counterexample canonical: of all subjects that one change leads to and that still fail, it goes on
// with the first that is simpler, until none is. What it comes to does not, for most faults, depend on where it began.
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
		sh.plainTraces, sh.dropSteps, sh.lowestSettings, sh.dropSettings, sh.lowerSettings, sh.sortSettings, sh.mergeSessions,
		sh.renumberSessions, sh.unifyEvents, sh.plainEvents, sh.changeNames, sh.changeTexts, sh.unwrap,
		sh.simplifyEvents, sh.sortSteps, sh.simplifyArgs,
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

// accept takes a candidate that is simpler than the best and still fails. When all is over it takes none and says that it
// did, so that the pass that asks ends at once: a long trace has millions of candidates.
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
	return len(t.Config.Members()) > 1 && refused(t.Config) && !slices.ContainsFunc(t.Config.Members(), func(m spec.Member) bool {
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

// withEvent returns the best with another event at a step.
func (sh *shrinker) withEvent(i int, event spec.Value) Subject {
	return sh.mapSteps(func(k int, step *laws.Step) {
		if k == i {
			step.Event = event
		}
	})
}

// replaceAll returns the best with one event in place of all that are written as another.
func (sh *shrinker) replaceAll(old, event spec.Value) Subject {
	text := old.String()
	return sh.mapSteps(func(_ int, step *laws.Step) {
		if !step.IsReset() && step.Event.String() == text {
			step.Event = event
		}
	})
}

// dropSteps leaves out runs of steps, long ones first, and then two steps at once, where neither can go alone.
func (sh *shrinker) dropSteps() bool {
	for size := len(sh.best.Steps); size >= 1; size /= 2 {
		for i := 0; i+size <= len(sh.best.Steps); i++ {
			if sh.accept(sh.withSteps(slices.Concat(sh.best.Steps[:i], sh.best.Steps[i+size:]))) {
				return true
			}
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

// acceptFewer accepts a subject with one or more of its steps left out, at most so many.
func (sh *shrinker) acceptFewer(s Subject, most int) bool {
	steps := s.Steps
	for size := min(len(steps)-1, most); size >= 1; size-- {
		for i := 0; i+size <= len(steps); i++ {
			s.Steps = slices.Concat(steps[:i], steps[i+size:])
			if sh.accept(s) {
				return true
			}
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

// with returns the best with some settings put into its configuration.
func (sh *shrinker) with(settings ...spec.Member) Subject {
	config := sh.best.Config
	if config.Kind() != spec.Object {
		config = spec.ObjectValue()
	}
	for _, m := range settings {
		config = config.With(m.Name, m.Value)
	}
	return sh.withConfig(config)
}

// dropSettings leaves out all of the configuration, or one setting.
func (sh *shrinker) dropSettings() bool {
	return sh.accept(sh.withConfig(spec.Value{})) ||
		slices.ContainsFunc(sh.best.Config.Members(), func(m spec.Member) bool {
			return sh.accept(sh.withConfig(sh.best.Config.Without(m.Name)))
		})
}

// sortSettings writes the configuration in the order of its names.
func (sh *shrinker) sortSettings() bool {
	members := slices.Clone(sh.best.Config.Members())
	slices.SortFunc(members, func(a, b spec.Member) int { return strings.Compare(a.Name, b.Name) })
	return len(members) > 0 && sh.accept(sh.withConfig(spec.ObjectValue(members...)))
}

// lowerSettings makes each member of the configuration simpler, alone or together with leaving out one step, since a
// lower threshold often needs fewer events.
func (sh *shrinker) lowerSettings() bool {
	for _, m := range sh.best.Config.Members() {
		for _, v := range simpler(m.Value) {
			lower := sh.with(spec.Member{Name: m.Name, Value: v})
			if sh.accept(lower) || sh.acceptFewer(lower, 1) {
				return true
			}
		}
	}
	return false
}

// lowestSettings tries the lowest settings, one by one and all at once, together with leaving out steps that they make
// needless. What of them is not needed, later passes drop.
func (sh *shrinker) lowestSettings() bool {
	definition, _ := spec.DefinitionOf(sh.best.Detector)
	settings, all := definition.SettingsIn(sh.best.Reading), len(sh.best.Steps)
	lowered := lowest(settings, sh.best.Reading, true)
	for _, m := range lowered {
		values := []spec.Value{m.Value}
		if m.Value.Kind() == spec.Number {
			values = append(values, spec.IntValue(2), spec.IntValue(3))
		}
		for _, v := range values {
			if sh.acceptFewer(sh.with(spec.Member{Name: m.Name, Value: v}), all) {
				return true
			}
		}
	}
	return sh.acceptFewer(sh.with(lowered...), all) ||
		sh.acceptFewer(sh.with(lowest(settings, sh.best.Reading, false)...), all)
}

// lowest returns the settings that let the rules that are on by default speak after the fewest events; without those
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

// mergeSessions gives a step, or all steps, to an earlier session.
func (sh *shrinker) mergeSessions() bool {
	for i := range sh.best.Steps {
		if sh.accept(sh.mapSteps(func(k int, step *laws.Step) {
			if k == i && step.Session > 0 {
				step.Session--
			}
		})) {
			return true
		}
	}
	return sh.accept(sh.mapSteps(func(_ int, step *laws.Step) { step.Session = 0 }))
}

// renumberSessions numbers the sessions in the order in which they begin.
func (sh *shrinker) renumberSessions() bool {
	numbers := map[int]int{}
	return sh.accept(sh.mapSteps(func(_ int, step *laws.Step) {
		if _, known := numbers[step.Session]; !known {
			numbers[step.Session] = len(numbers)
		}
		step.Session = numbers[step.Session]
	}))
}

// unifyEvents replaces an event by another one of the trace.
func (sh *shrinker) unifyEvents() bool {
	for i, step := range sh.best.Steps {
		for _, other := range sh.best.Steps {
			if !step.IsReset() && !other.IsReset() && sh.accept(sh.withEvent(i, other.Event)) {
				return true
			}
		}
	}
	return false
}

// plain holds the simplest events of each sort, and two outputs that are alike by 90 percent, where [spec.Ralph] draws
// the line.
var plain = spec.MustParse(`[
	{"type":"tool_call","tool":"a"}, {"type":"tool_call","tool":"b"}, {"type":"tool_call","tool":"a","worker":"a"},
	{"type":"test_run","passed":false}, {"type":"error","message":"a"}, {"type":"output","text":"a"}, {"type":"output","text":"b"},
	{"type":"output","text":"aaaaaaaaaa"}, {"type":"output","text":"aaaaaaaaab"}
]`).Items()

// plainTraces tries two plain events with the defaults, whatever the trace was.
func (sh *shrinker) plainTraces() bool {
	if sh.best.IsCall() {
		return false
	}
	defaults := sh.withConfig(spec.Value{})
	for _, first := range plain {
		for _, second := range plain {
			defaults.Steps = []laws.Step{{Event: first}, {Event: second}}
			if sh.accept(defaults) {
				return true
			}
		}
	}
	return false
}

// plainEvents replaces an event, or all events that are equal to it, by a plain one.
func (sh *shrinker) plainEvents() bool {
	return sh.changeEvents(func(spec.Value) []spec.Value { return plain })
}

// simplifyEvents makes one change to an event, or the same to all events that are equal to it.
func (sh *shrinker) simplifyEvents() bool { return sh.changeEvents(simplerEvents) }

func (sh *shrinker) changeEvents(others func(spec.Value) []spec.Value) bool {
	for i, step := range sh.best.Steps {
		if step.IsReset() {
			continue
		}
		for _, event := range others(step.Event) {
			if sh.accept(sh.replaceAll(step.Event, event)) || sh.accept(sh.withEvent(i, event)) {
				return true
			}
		}
	}
	return false
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

// simplifyArgs makes one change to the arguments of a function.
func (sh *shrinker) simplifyArgs() bool {
	return slices.ContainsFunc(simpler(sh.best.Args), func(args spec.Value) bool {
		s := sh.best
		s.Args = args
		return sh.accept(s)
	})
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
