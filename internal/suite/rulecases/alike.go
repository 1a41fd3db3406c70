package rulecases

import (
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

// site is a part of events that rules compare.
type site struct {
	name, clause string
	way          string                                     // in which the rule compares it
	put          func(event, value spec.Value) []spec.Value // returns the event without change if it has no such part
}

// variants are the traces that a trace becomes with other values at a site: with has one value in all events, and but
// has another one in one event.
type variants struct {
	site
	trace []spec.Value
	at    int // the event that has the other value
}

// with returns the trace with one value everywhere.
func (v variants) with(value spec.Value) []spec.Value { return v.but(value, value) }

// but returns the trace with one value everywhere but in one event, which has the other.
func (v variants) but(value, other spec.Value) (trace []spec.Value) {
	for i, event := range v.trace {
		if i == v.at {
			trace = append(trace, v.put(event, other)...)
			continue
		}
		trace = append(trace, v.put(event, value)...)
	}
	return trace
}

// aliker makes cases of values that a port may take for the same.
type aliker struct {
	*Declaration

	budget *budget
}

// casesOfLikenesses returns for each likeness a case in which the rules compare two values of each of its pairs, at
// each site that they compare: a port whose equality is another one gives another verdict.
func (d *Declaration) casesOfLikenesses(b *budget) (list []cases.Case) {
	a := aliker{d, b}
	make := a.likeText
	if d.Detector.Row() == spec.Composed {
		all := a.variants()
		make = func(l likeness) []alike { return a.likeItems(l, all) }
	}
	for _, l := range likenesses {
		for _, g := range make(l) {
			list = append(list, a.casesOf(l, g)...)
		}
	}
	return list
}

// alike are traces about one likeness and one clause.
type alike struct {
	clause string
	traces [][]spec.Value
}

// likeItems returns the traces of a likeness at all sites.
func (a aliker) likeItems(l likeness, all []variants) (groups []alike) {
	for _, v := range all {
		groups = added(groups, v.clause, a.traces(l, v))
	}
	return groups
}

// added returns the groups with more traces about a clause.
func added(groups []alike, clause string, traces [][]spec.Value) []alike {
	i := slices.IndexFunc(groups, func(g alike) bool { return g.clause == clause })
	if i < 0 {
		return append(groups, alike{clause, traces})
	}
	groups[i].traces = append(groups[i].traces, traces...)
	return groups
}

// casesOf returns the case of a likeness and a clause: one, unless its traces are long.
func (a aliker) casesOf(l likeness, g alike) []cases.Case {
	for _, trace := range g.traces {
		a.budget.spend(len(trace), a.weight)
	}
	return a.bundle(cases.Case{
		ID:      fmt.Sprintf("%s-alike-%s%s", a.Detector, subjects[g.clause].word, l.word),
		Title:   fmt.Sprintf("%s that differ in %s", subjects[g.clause].title, l.title),
		Why:     l.why,
		Clauses: []string{g.clause},
	}, g.traces)
}

// subjects are what the traces about a clause differ in: in the ids of cases, where those of calls and of pieces have
// no word, and in their titles.
var subjects = map[string]struct{ word, title string }{
	"CO-9": {"", "Calls"}, "CO-10": {"kept-", "Calls"}, "CO-11": {"thoughts-", "Thoughts"}, "CO-12": {"tools-", "Calls"},
	"CO-13": {"answers-", "Answers"}, "CO-14": {"beginnings-", "Answers"}, "CO-16": {"", "Steps"},
	"CO-46": {"texts-", "Texts"}, "ST-5": {"", "Copies"}, "ST-7": {"", "Copies"}, "ST-15": {"lines-", "Copies"},
}

// variants returns a trace for each site and each way in which rules compare it: the shortest that reaches a rung.
func (a aliker) variants() (list []variants) {
	rules := rulesOf(a.Fixed)
	shortest := slices.Clone(a.witnesses)
	slices.SortStableFunc(shortest, func(v, w Witness) int { return len(v.Trace) - len(w.Trace) })
	known := map[string]bool{} // ways
	for _, witness := range shortest {
		i := slices.IndexFunc(rules, func(r rule) bool { return r.Name == witness.Rule })
		if len(witness.Trace) == 0 || i < 0 {
			continue
		}
		for _, s := range rules[i].sites() {
			if known[s.way] {
				continue
			}
			v := variants{site: s, trace: witness.Trace}
			if known[s.way] = a.aim(&v); known[s.way] {
				list = append(list, v)
			}
		}
	}
	return list
}

// aim finds the event in which another value changes a verdict, the last one if several do. It reports whether there is
// one: if not, the rule does not compare this part of events.
func (a aliker) aim(v *variants) bool {
	one, other := v.usual()
	base := v.with(one)
	for v.at = len(v.trace) - 1; v.at >= 0 && !a.budget.isSpent(); v.at-- {
		changed := v.but(one, other)
		if !slices.EqualFunc(changed, base, spec.Value.Equal) && a.differ(base, changed) {
			return takes(a.Offer, base)
		}
	}
	return false
}

// differ reports whether the first trace ends with a loop and the other one does not have the same verdicts.
func (a aliker) differ(trace, other []spec.Value) bool {
	verdicts := a.play(trace)
	if !endsInLoop(verdicts) {
		return false
	}
	same := func(v, w spec.Verdict) bool { return v.Value().Equal(w.Value()) }
	return !slices.EqualFunc(verdicts, a.play(other), same)
}

// endsInLoop reports whether the last of the verdicts is a loop.
func endsInLoop(verdicts []spec.Verdict) bool {
	return len(verdicts) > 0 && verdicts[len(verdicts)-1].Loop
}

func (a aliker) play(trace []spec.Value) []spec.Verdict {
	a.budget.spend(opening+len(trace)+charactersOf(trace)+bytesOf(trace)/bytesOfStep, a.weight)
	return play(a.Detector, a.Fixed, laws.Observing(trace))
}

// bytesOfStep is how many bytes of an event a rule digests in about the time of a step.
const bytesOfStep = 64

func bytesOf(trace []spec.Value) int {
	bytes := 0
	for _, event := range trace {
		bytes += len(event.String())
	}
	return bytes
}

// traces returns a trace for each pair of a likeness, and of the first pair before that the trace with one value: so a
// port that never reports does not pass.
func (a aliker) traces(l likeness, v variants) (traces [][]spec.Value) {
	for _, p := range l.pairsOf(v) {
		if a.budget.isSpent() {
			break
		}
		base, trace := v.with(p.one), v.but(p.one, p.other)
		if !endsInLoop(a.play(base)) || !a.asks(base) || !a.asks(trace) {
			continue
		}
		if len(traces) == 0 {
			traces = append(traces, base)
		}
		traces = append(traces, trace)
	}
	return traces
}
