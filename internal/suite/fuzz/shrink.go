package fuzz

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// pass offers the subjects that one sort of change makes of a subject, the greatest simplifications first. Not all of
// them are simpler.
type pass func(Subject) iter.Seq[Subject]

// passes join pieces wherever a pass before may have left out what stood between them: the passes behind try each
// change at each step, so the fewer there are, the sooner they end.
var passes = []pass{
	fewerPieces, fewerSteps, fewerPieces, simplerConfigs, fewerPieces, oneSession, fewerPieces, simplerEvents,
	simplerValues,
}

// shrink returns the simplest subject that it reaches before it is over: the first that a pass offers, that is simpler
// and that still fails takes the place of the best, until no pass has one.
func shrink(best Subject, over func() bool, fails func(Subject) bool) Subject {
	tried, text := map[string]bool{}, best.Value().String()
	improve := func(pass pass) bool {
		for candidate := range pass(best) {
			if over() {
				return false
			}
			simpler := candidate.Value().String()
			if compareSubjects(candidate, best, simpler, text) >= 0 || tried[simpler] {
				continue
			}
			tried[simpler] = true
			if !hasTwoFaults(candidate.Trace) && fails(candidate) {
				best, text = candidate, simpler
				return true
			}
		}
		return false
	}
	for changed := true; changed; {
		changed = false
		for _, pass := range passes {
			for improve(pass) {
				changed = true
			}
		}
	}
	return best
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

// fewerPieces joins pieces of a streamed text that follow one another, many rather than few.
func fewerPieces(s Subject) iter.Seq[Subject] {
	return func(yield func(Subject) bool) {
		steps := s.Steps
		for size := len(steps); size >= 2; size /= 2 {
			for i := 0; i+size <= len(steps); i++ {
				joined := joinedPieces(steps[i : i+size])
				if len(joined) == size {
					continue
				}
				s.Steps = slices.Concat(steps[:i], joined, steps[i+size:])
				if !yield(s) {
					return
				}
			}
		}
	}
}

// joinedPieces returns the steps with each run of pieces of one text as one piece.
func joinedPieces(steps []laws.Step) (joined []laws.Step) {
	var text string // of the piece that is the last step; without a meaning after any other step
	for _, step := range steps {
		more, isText := step.Event.Get("text").Str()
		isPiece := isText && spec.TypeOf(step.Event) == spec.Delta
		if n := len(joined) - 1; n >= 0 && isPiece && joined[n].Session == step.Session &&
			withoutText(joined[n].Event).Equal(withoutText(step.Event)) {
			text += more
			joined[n].Event = joined[n].Event.With("text", spec.StringValue(text))
			continue
		}
		joined, text = append(joined, step), more
	}
	return joined
}

// withoutText returns the other members of a piece, and no channel if it is the usual one.
func withoutText(piece spec.Value) spec.Value {
	if piece = piece.Without("text"); piece.Get("channel").Equal(spec.StringValue(string(spec.Answer))) {
		return piece.Without("channel")
	}
	return piece
}

// fewerSteps leaves out runs of steps, long ones first.
func fewerSteps(s Subject) iter.Seq[Subject] { return withoutRuns(s, len(s.Steps)) }

// withoutRuns leaves out at most so many steps in a row, many rather than few.
func withoutRuns(s Subject, most int) iter.Seq[Subject] {
	return func(yield func(Subject) bool) {
		for size, steps := most, s.Steps; size >= 1; size /= 2 {
			for i := 0; i+size <= len(steps); i++ {
				s.Steps = slices.Concat(steps[:i], steps[i+size:])
				if !yield(s) {
					return
				}
			}
		}
	}
}

// simplerConfigs makes the configuration simpler, or sets what counts events to 1, alone or together with leaving out
// steps: a lower threshold often needs fewer events. What of it is not needed goes later.
func simplerConfigs(s Subject) iter.Seq[Subject] {
	return func(yield func(Subject) bool) {
		definition, _ := spec.DefinitionOf(s.Detector)
		low := lowered(s.Config, definition.SettingsIn(s.Reading), s.Reading)
		for _, config := range append([]spec.Value{{}, low}, simpler(s.Config)...) {
			if !config.IsAbsent() && config.Kind() != spec.Object {
				continue
			}
			if s.Config = config; len(config.Members()) == 0 {
				s.Config = spec.Value{} // the default
			}
			if !yield(s) {
				return
			}
			for shorter := range withoutRuns(s, len(s.Steps)-1) {
				if !yield(shorter) {
					return
				}
			}
		}
	}
}

// lowered returns a configuration with every setting that counts events at 1, also within another setting.
func lowered(config spec.Value, settings []spec.Parameter, r spec.Reading) spec.Value {
	config = spec.ObjectValue(config.Members()...)
	for _, p := range settings {
		_, isNumber := p.Usual(r).Int()
		switch {
		case p.Kind == spec.Object && p.Members != nil:
			config = config.With(p.Name, lowered(config.Get(p.Name), p.Members, r))
		case isNumber && p.Use != spec.Percent && p.Use != spec.Interval:
			config = config.With(p.Name, spec.IntValue(1))
		}
	}
	return config
}

// oneSession gives the steps of all sessions but the first few to one of them.
func oneSession(s Subject) iter.Seq[Subject] {
	return func(yield func(Subject) bool) {
		for n := range s.Steps {
			if !yield(mapSteps(s, func(_ int, step *laws.Step) { step.Session = min(step.Session, n) })) {
				return
			}
		}
	}
}

// mapSteps returns the subject with a change made to each of its steps.
func mapSteps(s Subject, change func(i int, step *laws.Step)) Subject {
	s.Steps = slices.Clone(s.Steps)
	for i := range s.Steps {
		change(i, &s.Steps[i])
	}
	return s
}

// simplerEvents makes a change to an event and to all that equal it, or to it alone, or puts another event of the trace
// in its place; or it makes a change to the arguments of a function.
func simplerEvents(s Subject) iter.Seq[Subject] {
	return func(yield func(Subject) bool) {
		for i, step := range s.Steps {
			if step.IsReset() {
				continue
			}
			for _, event := range slices.Concat(simplest, s.Events(), changedEvents(step.Event)) {
				all := mapSteps(s, func(_ int, other *laws.Step) {
					if other.Event.Equal(step.Event) {
						other.Event = event
					}
				})
				alone := s
				alone.Steps = slices.Clone(s.Steps)
				alone.Steps[i].Event = event
				if !yield(all) || !yield(alone) {
					return
				}
			}
		}
		for _, args := range simpler(s.Args) {
			if s.Args = args; !yield(s) {
				return
			}
		}
	}
}

// changedEvents returns the events that one change makes of an event; its type stays.
func changedEvents(event spec.Value) []spec.Value {
	typ := event.Get("type")
	return slices.DeleteFunc(simpler(event), func(v spec.Value) bool {
		_, err := spec.DecodeEvent(v)
		return err != nil || !v.Get("type").Equal(typ)
	})
}

// simplerValues makes the same change wherever a value, or a name of an argument, stands in the events, so that what
// repeats goes on repeating.
func simplerValues(s Subject) iter.Seq[Subject] {
	return func(yield func(Subject) bool) {
		var values []spec.Value
		rewritten(s, func(v spec.Value) spec.Value {
			if !slices.ContainsFunc(values, v.Equal) {
				values = append(values, v)
			}
			return v
		})
		for _, old := range values {
			for _, by := range append(simpler(old), spec.Value{}) {
				changed := rewritten(s, func(v spec.Value) spec.Value {
					if v.Equal(old) {
						return by
					}
					return v
				})
				if !yield(changed) {
					return
				}
			}
		}
	}
}

// rewritten returns the subject with a change made to the values in its events. The members of an event keep their
// kinds, which the protocol demands.
func rewritten(s Subject, change func(spec.Value) spec.Value) Subject {
	return mapSteps(s, func(_ int, step *laws.Step) {
		for _, m := range step.Event.Members() {
			v := rewrittenValue(m.Value, change)
			if m.Name != "type" && m.Name != "role" && v.Kind() == m.Value.Kind() {
				step.Event = step.Event.With(m.Name, v)
			}
		}
	})
}

// rewrittenValue changes a value and what is in it. An item goes if the change leaves nothing of it, a member also if
// it leaves no name.
func rewrittenValue(v spec.Value, change func(spec.Value) spec.Value) spec.Value {
	if changed := change(v); !changed.Equal(v) {
		return changed
	}
	switch v.Kind() {
	case spec.Array:
		var items []spec.Value
		for _, item := range v.Items() {
			if item = rewrittenValue(item, change); !item.IsAbsent() {
				items = append(items, item)
			}
		}
		return spec.ArrayValue(items...)
	case spec.Object:
		o := spec.ObjectValue()
		for _, m := range v.Members() {
			name := change(spec.StringValue(m.Name)).Text()
			if inner := rewrittenValue(m.Value, change); !inner.IsAbsent() && (name != "" || m.Name == "") {
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
func ShrinkEvents(
	ctx context.Context, events []spec.Value, limit time.Duration, holds func([]spec.Value) bool,
) []spec.Value {
	end := time.Now().Add(limit)
	over := func() bool { return ctx.Err() != nil || time.Now().After(end) }
	whole := Subject{Trace: laws.Trace{Steps: laws.Observing(events)}}
	smallest := shrink(whole, over, func(s Subject) bool { return holds(s.Events()) })
	return smallest.Events()
}
