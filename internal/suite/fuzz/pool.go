package fuzz

import (
	"slices"
	"sync"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/laws"
)

// pool is what the checks of one detector in one reading have in common: what they are tried on and, unless the budget
// is thorough, what the port said to it; and what its shrinking may cost.
type pool struct {
	budget  Budget
	traces  []traceOf // of the cases
	telling []traceOf // the most telling of them
	looping []traceOf // the most telling in which there is a loop
	drawn   []lineup  // for each seed; shared
	memory  memory
	spent   spending
}

// newPool gathers the traces of the cases, and deals out the seeds, for a hunt and those like it.
func newPool(h *Hunt, budget Budget) *pool {
	p := &pool{budget: budget}
	for _, c := range budget.Suite {
		if c.Detector != h.Detector {
			continue
		}
		for _, trace := range laws.TracesOf(c) {
			if s := (Subject{Trace: trace}); trace.Reading == h.Reading && h.Checks[0].About(s) {
				p.traces = append(p.traces, traceOf{s, c.Clauses, featuresOf(c, s), expectsLoop(c)})
			}
		}
	}
	p.telling = telling(p.traces, budget.ofLaw(""))
	p.looping = telling(slices.DeleteFunc(slices.Clone(p.traces), func(t traceOf) bool { return !t.loops }), 1)
	for _, seed := range budget.Seeds {
		p.drawn = append(p.drawn, once(h.drawn(h.Checks[0], budget.Checks, uint64(seed))))
	}
	return p
}

// once returns the lineup with each subject drawn when it is first asked for, and never again.
func once(l lineup) lineup {
	draws, subjects := make([]sync.Once, l.n), make([]Subject, l.n)
	at := func(i int) Subject {
		draws[i].Do(func() { subjects[i] = l.at(i) })
		return subjects[i]
	}
	return lineup{l.n, at}
}

// round is a list of subjects that a check is tried on.
type round struct {
	lineup
	seed int64 // that they were drawn with; 0 for those of the cases
}

// rounds returns what a check of a hunt is tried on: traces of the cases, which say by themselves whether the port
// agrees, and those of each seed.
func (p *pool) rounds(h *Hunt, check int) []round {
	law, isLaw := laws.LawByID(h.Checks[check].ID)
	n := p.budget.Checks
	var traces []Subject
	if isLaw {
		n = p.budget.ofLaw(law.ID)
		traces = p.tracesFor(h, check, partOf(n, 2))
	}
	rounds := []round{{lineup{len(traces), func(i int) Subject { return traces[i] }}, 0}}
	for i, seed := range p.budget.Seeds {
		l := p.drawn[i]
		switch {
		case p.budget.Thorough:
			l = h.drawn(h.Checks[check], n, uint64(seed))
		case isLaw && law.ByEvent:
			l = l.part((check-1)*n, n).begun(mostByEvent)
		case isLaw:
			l = l.part((check-1)*n, n)
		}
		rounds = append(rounds, round{l, seed})
	}
	return rounds
}

// part returns n subjects of the lineup from a place on; after the last one comes the first.
func (l lineup) part(from, n int) lineup {
	return lineup{min(n, l.n), func(i int) Subject { return l.at((from + i) % l.n) }}
}

// mostByEvent bounds the traces of a law that sends a request for each event: few are longer, and one of a thousand events
// would keep the run waiting for a thousand answers, one after the other.
const mostByEvent = 100

// begun returns the lineup with each trace ended after so many steps.
func (l lineup) begun(most int) lineup {
	return lineup{l.n, func(i int) Subject {
		s := l.at(i)
		s.Steps = s.Steps[:min(most, len(s.Steps))]
		return s
	}}
}

// tracesFor returns the traces of the cases that a law is tried on: all or, where the budget is not thorough, a few:
// first those whose cases cite a clause of the law, and one with a loop, without which the law would have shown nothing.
func (p *pool) tracesFor(h *Hunt, check, few int) (subjects []Subject) {
	chosen := p.traces
	if !p.budget.Thorough {
		law, _ := laws.LawByID(h.Checks[check].ID)
		own := law.ClausesFor(h.Detector)
		isOther := func(t traceOf) bool {
			return !slices.ContainsFunc(t.clauses, func(id string) bool { return slices.Contains(own, id) })
		}
		chosen = telling(slices.DeleteFunc(slices.Clone(p.traces), isOther), few)
		chosen = slices.Concat(chosen, p.telling[:max(0, min(len(p.telling), few-len(chosen)))])
		if !slices.ContainsFunc(chosen, func(t traceOf) bool { return t.loops }) {
			chosen = slices.Concat(chosen, p.looping)
		}
	}
	for _, t := range chosen {
		subjects = append(subjects, t.Subject)
	}
	return subjects
}

// traceOf is the trace of a case.
type traceOf struct {
	Subject
	clauses  []string // that the case cites
	features []string // what it has that others may lack
	loops    bool     // the case expects a loop
}

// telling returns at most n of the traces. Each is the one that has, for its length, most of what none before it has;
// where none has anything more, all that was seen is forgotten.
func telling(traces []traceOf, n int) []traceOf {
	var chosen []traceOf
	seen := map[string]bool{}
	left := slices.Clone(traces)
	for len(chosen) < n && len(left) > 0 {
		best, most := 0, 0.0
		for i, t := range left {
			if worth := t.worth(seen); worth > most {
				best, most = i, worth
			}
		}
		if most == 0 && len(seen) > 0 {
			clear(seen)
			continue
		}
		for _, f := range left[best].features {
			seen[f] = true
		}
		chosen = append(chosen, left[best])
		left = slices.Delete(left, best, best+1)
	}
	return chosen
}

// worth returns how much of what a trace has was not seen yet, by its length.
func (t traceOf) worth(seen map[string]bool) float64 {
	news := 0
	for _, f := range t.features {
		if !seen[f] {
			news++
		}
	}
	const start = 5 // what it costs to begin a session at all, in events
	return float64(news) / float64(start+len(t.Steps))
}

// featuresOf returns what tells the trace of a case from others: the clauses that the case cites, its settings, the types
// of its events, a reset, another session.
func featuresOf(c cases.Case, s Subject) []string {
	list := slices.Clone(c.Clauses)
	for _, m := range s.Config.Members() {
		list = append(list, "config "+m.Name)
	}
	for _, step := range s.Steps {
		typ, _ := step.Event.Get("type").Str() // empty for a reset
		list = append(list, "event "+typ)
		if step.Session > 0 {
			list = append(list, "session")
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// expectsLoop reports whether a case demands a verdict that is a loop.
func expectsLoop(c cases.Case) bool {
	isLoop := func(m cases.MemberWant) bool { return m.Name == "loop" && m.Want.Equal.IsTrue() }
	return slices.ContainsFunc(c.Steps, func(s cases.Step) bool {
		return slices.ContainsFunc(s.Expect, func(e cases.Expectation) bool { return slices.ContainsFunc(e.Members, isLoop) })
	})
}
