package fuzz

import (
	"slices"
	"time"

	"github.com/loopstone/loopstone/internal/laws"
	"github.com/loopstone/loopstone/spec"
)

// shrinker makes a counterexample canonical: of all subjects that one change leads to and that still fail, it goes on
// with the first that is simpler, until none is. Rapid's own minima depend on the seed; these, for most faults, do not.
type shrinker struct {
	fails    func(Subject) bool
	deadline time.Time
	best     Subject
	tried    map[string]bool // JSON of the subjects that were found not to fail
}

// shrink returns the simplest subject that it reaches, and is bounded in time.
func shrink(s Subject, limit time.Duration, fails func(Subject) bool) Subject {
	sh := &shrinker{fails: fails, deadline: time.Now().Add(limit), best: s, tried: map[string]bool{}}
	passes := []func() bool{
		sh.dropSteps, sh.lowestSettings, sh.dropSettings, sh.lowerSettings, sh.sortSettings, sh.mergeSessions,
		sh.swapSessions, sh.unifyEvents, sh.plainEvents, sh.dropNames, sh.dropTopNames, sh.renameNames, sh.renameTexts,
		sh.renameRunes, sh.squeeze, sh.unwrap, sh.zeroScalars, sh.simplifyEvents, sh.simplifyTexts, sh.swapTexts,
		sh.sortSteps, sh.simplifyArgs,
	}
	for changed := true; changed; {
		changed = false
		for _, pass := range passes {
			for pass() {
				changed = true
			}
		}
	}
	return sh.best
}

// accept takes a candidate that is simpler than the best, lies within the specification, and still fails.
func (sh *shrinker) accept(candidate Subject) bool {
	if compareSubjects(candidate, sh.best) >= 0 || outside(candidate) || time.Now().After(sh.deadline) {
		return false
	}
	key := candidate.Value().String()
	if sh.tried[key] {
		return false
	}
	if sh.fails(candidate) {
		sh.best = candidate
		return true
	}
	sh.tried[key] = true
	return false
}

// withSteps returns the best with other steps.
func (sh *shrinker) withSteps(steps []laws.Step) Subject {
	s := sh.best
	s.Steps = steps
	return s
}

// withEvent returns the best with another event at a step.
func (sh *shrinker) withEvent(i int, event spec.Value) Subject {
	steps := slices.Clone(sh.best.Steps)
	steps[i].Event = event
	return sh.withSteps(steps)
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

// dropSteps leaves out runs of steps, long ones first.
func (sh *shrinker) dropSteps() bool {
	for size := len(sh.best.Steps); size >= 1; size /= 2 {
		for i := 0; i+size <= len(sh.best.Steps); i++ {
			steps := slices.Concat(sh.best.Steps[:i], sh.best.Steps[i+size:])
			if sh.accept(sh.withSteps(steps)) {
				return true
			}
		}
	}
	return sh.dropPairs()
}

// dropPairs leaves out two steps at once, where neither can go alone.
func (sh *shrinker) dropPairs() bool {
	const most = 24 // pairs grow with the square
	n := len(sh.best.Steps)
	if n > most {
		return false
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			steps := slices.Concat(sh.best.Steps[:i], sh.best.Steps[i+1:j], sh.best.Steps[j+1:])
			if sh.accept(sh.withSteps(steps)) {
				return true
			}
		}
	}
	return false
}

// unifyEvents replaces an event by another one of the trace.
func (sh *shrinker) unifyEvents() bool {
	for i, step := range sh.best.Steps {
		for _, other := range sh.best.Steps {
			if step.IsReset() || other.IsReset() {
				continue
			}
			if sh.accept(sh.withEvent(i, other.Event)) {
				return true
			}
		}
	}
	return false
}

// plain holds the simplest events of each sort.
var plain = []spec.Value{
	spec.MustParse(`{"type":"tool_call","tool":"a"}`),
	spec.MustParse(`{"type":"tool_call","tool":"b"}`),
	spec.MustParse(`{"type":"tool_call","tool":"a","worker":"a"}`),
	spec.MustParse(`{"type":"test_run","passed":false}`),
	spec.MustParse(`{"type":"error","message":"a"}`),
	spec.MustParse(`{"type":"output","text":"a"}`),
	spec.MustParse(`{"type":"output","text":"b"}`),
}

// plainEvents replaces an event, or all events that are equal to it, by a plain one.
func (sh *shrinker) plainEvents() bool {
	for i, step := range sh.best.Steps {
		if step.IsReset() {
			continue
		}
		for _, p := range plain {
			if sh.accept(sh.replaceAll(step.Event, p)) || sh.accept(sh.withEvent(i, p)) {
				return true
			}
		}
	}
	return false
}

// replaceAll returns the best with one event in place of all that are equal to another.
func (sh *shrinker) replaceAll(old, event spec.Value) Subject {
	steps := slices.Clone(sh.best.Steps)
	text := old.String()
	for i := range steps {
		if !steps[i].IsReset() && steps[i].Event.String() == text {
			steps[i].Event = event
		}
	}
	return sh.withSteps(steps)
}

// simplifyEvents makes one change to an event, or the same to all events that are equal to it.
func (sh *shrinker) simplifyEvents() bool {
	for i, step := range sh.best.Steps {
		for _, event := range simplerEvents(step.Event) {
			if sh.accept(sh.replaceAll(step.Event, event)) || sh.accept(sh.withEvent(i, event)) {
				return true
			}
		}
	}
	return false
}

// simplerEvents returns the events that one change makes of an event; its type stays.
func simplerEvents(event spec.Value) []spec.Value {
	var list []spec.Value
	for _, m := range event.Members() {
		if m.Name == "type" {
			continue
		}
		list = append(list, event.Without(m.Name))
		for _, v := range simpler(m.Value) {
			list = append(list, event.With(m.Name, v))
		}
	}
	return slices.DeleteFunc(list, func(v spec.Value) bool {
		_, err := spec.DecodeEvent(v)
		return err != nil
	})
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
	for _, args := range simpler(sh.best.Args) {
		s := sh.best
		s.Args = args
		if sh.accept(s) {
			return true
		}
	}
	return false
}
