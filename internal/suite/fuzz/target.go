package fuzz

import (
	"slices"
	"sync"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/lists"
)

// target is what the checks of one detector in one reading have in common: what they are tried on, and what they may
// cost.
type target struct {
	fuzzers []*Fuzzer  // of each worker
	traces  []traceOf  // of the cases
	drawn   []subjects // for each seed; shared
	costs   costs
}

// traceOf is the trace of a case.
type traceOf struct {
	Subject
	clauses []string // that the case cites
	loops   bool     // the case expects a loop
}

// mostSteps bounds the traces of cases that laws are tried on in a usual run: a few long ones would cost more than all
// that is generated, and --checks would not bound them.
const mostSteps = 40

// newTarget gathers the traces of the cases, and draws the subjects, for the fuzzers of the workers.
func newTarget(fuzzers []*Fuzzer, budget Budget) *target {
	t, h := &target{fuzzers: fuzzers}, fuzzers[0]
	for _, c := range budget.Suite {
		if c.Detector != h.Detector || budget.Fits != nil && !budget.Fits(c) {
			continue
		}
		for _, trace := range laws.TracesOf(c) {
			if !budget.Thorough && len(trace.Steps) > mostSteps {
				continue
			}
			if s := (Subject{Trace: trace}); trace.Reading == h.Reading && h.Checks[0].About(s) {
				t.traces = append(t.traces, traceOf{s, c.Clauses, expectsLoop(c)})
			}
		}
	}
	for _, seed := range budget.Seeds {
		t.drawn = append(t.drawn, once(h.drawn(h.Checks[0], budget.Checks, uint64(seed))))
	}
	return t
}

// once returns the list with each subject drawn when it is first asked for, and never again.
func once(l subjects) subjects {
	draw := make([]func() Subject, l.n)
	for i := range draw {
		draw[i] = sync.OnceValue(func() Subject { return l.at(i) })
	}
	return subjects{l.n, func(i int) Subject { return draw[i]() }}
}

// round is a list of subjects that a check is tried on.
type round struct {
	subjects
	seed int64 // that they were drawn with; 0 for those of the cases
}

// rounds returns what a check of a fuzzer is tried on: traces of the cases, which say by themselves whether the port
// agrees, and those of each seed.
func (t *target) rounds(b Budget, check int) []round {
	h := t.fuzzers[0]
	law, isLaw := laws.LawByID(h.Checks[check].ID)
	n := b.Checks
	var traces []Subject
	if isLaw {
		n = b.ofLaw(law.ID)
		traces = t.tracesFor(law, partOf(n, 2), b.Thorough)
	} else {
		traces = h.likenesses(b.Suite)
	}
	rounds := []round{{subjects{len(traces), func(i int) Subject { return traces[i] }}, 0}}
	for i, seed := range b.Seeds {
		var l subjects
		switch {
		case b.Thorough:
			l = h.drawn(h.Checks[check], n, uint64(seed))
		case isLaw && law.ByEvent:
			l = t.drawn[i].part((check-1)*n, n).begun(mostByEvent)
		case isLaw:
			l = t.drawn[i].part((check-1)*n, n)
		default:
			l = t.drawn[i]
		}
		rounds = append(rounds, round{l, seed})
	}
	return rounds
}

// part returns n subjects from a place on; after the last one comes the first.
func (l subjects) part(from, n int) subjects {
	return subjects{min(n, l.n), func(i int) Subject { return l.at((from + i) % l.n) }}
}

// mostByEvent bounds the traces of a law that sends a request for each event: few are longer, and one of a thousand
// events would keep the run waiting for a thousand answers, one after the other.
const mostByEvent = 100

// begun returns the list with each trace ended after so many steps.
func (l subjects) begun(most int) subjects {
	return subjects{l.n, func(i int) Subject {
		s := l.at(i)
		s.Steps = s.Steps[:min(most, len(s.Steps))]
		return s
	}}
}

// tracesFor returns the traces of the cases that a law is tried on: all or, where the budget is not thorough, a few:
// first those of cases that cite a clause of the law; and one with a loop, without which the law would have shown
// nothing.
func (t *target) tracesFor(law laws.Law, few int, thorough bool) []Subject {
	chosen := t.traces
	if !thorough {
		var own, looping []traceOf
		for _, trace := range t.traces {
			isCited := func(id string) bool { return slices.Contains(trace.clauses, id) }
			if slices.ContainsFunc(law.ClausesFor(trace.Detector), isCited) {
				own = append(own, trace)
			}
			if trace.loops {
				looping = append(looping, trace)
			}
		}
		own = spaced(own, few)
		chosen = slices.Concat(own, spaced(t.traces, few-len(own)), spaced(looping, 1))
	}
	return lists.Map(chosen, func(trace traceOf) Subject { return trace.Subject })
}

// spaced returns at most n of the traces, from all over the list.
func spaced(traces []traceOf, n int) (chosen []traceOf) {
	n = min(n, len(traces))
	for i := range n {
		chosen = append(chosen, traces[i*len(traces)/n])
	}
	return chosen
}

// expectsLoop reports whether a case demands a verdict that is a loop.
func expectsLoop(c cases.Case) bool {
	isLoop := func(m cases.MemberWant) bool { return m.Name == "loop" && m.Want.Equal.IsTrue() }
	return slices.ContainsFunc(c.Steps, func(s cases.Step) bool {
		return slices.ContainsFunc(s.Expect, func(e cases.Expectation) bool { return slices.ContainsFunc(e.Members, isLoop) })
	})
}
