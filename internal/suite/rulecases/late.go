package rulecases

import (
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

// MostBefore is how many events precede the trace of a rung in the case of a long session, beside [MostEvents].
const MostBefore = 10_000

const (
	fewBefore  = 200 // events, for rules of which each event costs too much
	rungsTried = 5
)

// snapshotsAfter are the numbers of events after which the case of late snapshots takes one.
var snapshotsAfter = []int{120, 300, 500, 1100}

// late is a rung with a trace that reaches it also when other events precede the trace.
type late struct {
	*Declaration

	number  int // of the rung, from 1
	trace   []spec.Value
	verdict spec.Verdict // on its last event
	others  []spec.Value
}

// casesOfLongSessions returns the trace of a rung after very many other events, around snapshots that are taken after
// many, and with a last event of a million characters. There are none if no rung is reached after other events.
func (d *Declaration) casesOfLongSessions(b *budget) []cases.Case {
	for i, w := range d.witnesses[:min(len(d.witnesses), rungsTried)] {
		before := MostBefore
		if asking*before*d.weight > b.left {
			before = fewBefore
		}
		if len(w.Trace) == 0 || b.isSpent() {
			continue
		}
		b.spend(opening+asking*before+len(w.Trace)+charactersOf(w.Trace), d.weight)
		l := late{Declaration: d, number: i + 1, trace: w.Trace, others: otherEvents(d.Offer)}
		if l.isReachedAfter(before) {
			return []cases.Case{l.session(before), l.snapshots(), l.large()}
		}
	}
	return nil
}

// isReachedAfter reports whether the last event of the trace is a loop after so many other events, too, and after none
// of these there is one; it notes the verdict.
func (l *late) isReachedAfter(before int) bool {
	after := func(times int) []laws.Step {
		return laws.Observing(slices.Concat(cases.Step{Events: l.others, Times: times}.Observed(), l.trace))
	}
	verdicts := play(l.Detector, l.Fixed, after(before/len(l.others)))
	l.verdict = verdicts[len(verdicts)-1]
	return l.showsNoGap(after(2)) && l.verdict.Loop && !slices.ContainsFunc(verdicts[:before], reportsLoop)
}

// newCase returns a case of the rung; title is about the trace that reaches it.
func (l *late) newCase(id, title, why string, steps []cases.Step) cases.Case {
	rung := fmt.Sprintf("%s-reaches-%d", l.Detector, l.number)
	rule, _ := spec.RuleOf(l.verdict.Kind)
	c := l.own(cases.Case{
		ID: rung + "-" + id, Title: fmt.Sprintf("The trace of %s %s", rung, title), Why: why,
		Clauses: rule.Clauses, Steps: steps,
	}, l.trace)
	c.Tags = append(c.Tags, cases.LongTag)
	return c
}

// before returns the step of so many other events, which are no loops.
func (l *late) before(events int, session string) cases.Step {
	return cases.Step{
		Action: cases.Observe, Session: session, Events: l.others, Times: events / len(l.others),
		Expect: slices.Repeat(expectationOf(spec.Verdict{}), len(l.others)),
	}
}

// until returns the steps of the trace but the last, of which nothing is expected: other cases do that.
func (l *late) until(session string) (steps []cases.Step) {
	for _, event := range l.trace[:len(l.trace)-1] {
		steps = append(steps, cases.Step{
			Action: cases.Observe, Session: session, Events: []spec.Value{event}, Times: 1,
		})
	}
	return steps
}

// last returns the step of the last event, which is a loop.
func (l *late) last(event spec.Value, session string) cases.Step {
	step := stepOf(laws.Step{Event: event}, expectationOf(l.verdict))
	step.Session = session
	return step
}

func (l *late) session(before int) cases.Case {
	last := l.last(l.trace[len(l.trace)-1], cases.MainSession)
	first := []cases.Step{l.before(before, cases.MainSession)}
	steps := slices.Concat(first, l.until(cases.MainSession), []cases.Step{last})
	return l.newCase("late", fmt.Sprintf("after %d other events", before),
		"Agents loop late in long sessions. A port that stops to look sees nothing there.", steps)
}

func (l *late) snapshots() cases.Case {
	var steps []cases.Step
	for _, n := range snapshotsAfter {
		of, to := fmt.Sprintf("of-%d", n), fmt.Sprintf("to-%d", n)
		steps = append(steps, l.before(max(n-len(l.trace), 2), of))
		steps = append(steps, l.until(of)...)
		steps = append(steps,
			cases.Step{Action: cases.Snapshot, Session: of, Name: of, Times: 1},
			cases.Step{Action: cases.Restore, Session: to, Name: of, Times: 1},
			l.last(l.trace[len(l.trace)-1], to))
	}
	c := l.newCase("restored", "goes on from snapshots taken after hundreds of events",
		"A host saves long sessions, and what it restores must be their end, not their beginning.", steps)
	c.Needs = append(c.Needs, spec.Snapshots)
	return c
}

func (l *late) large() cases.Case {
	event := l.trace[len(l.trace)-1].With("raw", spec.StringValue(cases.PadPlaceholder))
	last := l.last(event, cases.MainSession)
	last.Pad = cases.MostPadding
	steps := append(l.until(cases.MainSession), last)
	return l.newCase("large", "with a member of a million characters that nobody knows in its last event",
		"Hosts send along what they have. A port that drops large events, or dies of them, misses the loop.", steps)
}

// otherEvents returns two events that no rule takes for a repetition when they come again and again with other numbers.
func otherEvents(offer spec.Offer) []spec.Value {
	second := `{"type":"tool_result","content":"result ${n}"}`
	if offer.Detector.Row() == spec.Stream {
		second = `{"type":"message","role":"user","content":"prompt ${n}"}`
	}
	return []spec.Value{
		spec.MustParse(`{"type":"tool_call","tool":"other_${n}","args":{"n":"${n}"}}`), spec.MustParse(second),
	}
}
