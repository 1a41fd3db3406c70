package profile

import (
	"context"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/cases"
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
// each site that they compare: a port whose equality is another one gives another verdict. It takes a part of the
// budget.
func (d *Declaration) casesOfLikenesses(ctx context.Context, b *budget) (list []cases.Case, err error) {
	part := b.share(searches)
	defer func() { b.take(part) }()
	a := aliker{d, part}
	make := a.likeText
	if d.Detector.Row() == spec.Composed {
		all, err := a.variants(ctx)
		if err != nil {
			return nil, err
		}
		make = func(ctx context.Context, l likeness) ([]alike, error) { return a.likeItems(ctx, l, all) }
	}
	for _, l := range likenesses {
		groups, err := make(ctx, l)
		if err != nil {
			return nil, err
		}
		for _, g := range groups {
			more, err := a.casesOf(ctx, l, g)
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
		}
	}
	return list, nil
}

// alike are traces about one likeness and one clause.
type alike struct {
	clause string
	traces [][]spec.Value
}

// likeItems returns the traces of a likeness at all sites.
func (a aliker) likeItems(ctx context.Context, l likeness, all []variants) (groups []alike, err error) {
	for _, v := range all {
		traces, err := a.traces(ctx, l, v)
		if err != nil {
			return nil, err
		}
		groups = added(groups, v.clause, traces)
	}
	return groups, nil
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
func (a aliker) casesOf(ctx context.Context, l likeness, g alike) ([]cases.Case, error) {
	for _, trace := range g.traces {
		a.budget.spend(len(trace), a.weight)
	}
	return a.bundle(ctx, cases.Case{
		ID:      fmt.Sprintf("%s-alike-%s%s", a.Detector, siteWords[g.clause], l.word),
		Title:   fmt.Sprintf("%s that differ in %s", l.subject(g.clause), l.title),
		Why:     l.why,
		Clauses: []string{g.clause},
	}, g.traces)
}

// siteWords are in the ids of cases that are not about calls or pieces.
var siteWords = map[string]string{
	"CO-10": "kept-", "CO-11": "thoughts-", "CO-12": "tools-", "CO-13": "answers-", "CO-14": "beginnings-",
	"CO-46": "texts-",
	"ST-15": "lines-",
}

// subject returns what the traces about a clause differ in.
func (l likeness) subject(clause string) string {
	switch clause {
	case "CO-11":
		return "Thoughts"
	case "CO-13", "CO-14":
		return "Answers"
	case "CO-16":
		return "Steps"
	case "CO-46":
		return "Texts"
	case "ST-5", "ST-7", "ST-15":
		return "Copies"
	default:
		return "Calls"
	}
}

// variants returns a trace for each site and each way in which rules compare it: the shortest that reaches a rung.
func (a aliker) variants(ctx context.Context) (list []variants, err error) {
	rules, err := rulesOf(a.Fixed)
	if err != nil {
		return nil, err
	}
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
			if known[s.way], err = a.aim(ctx, &v); err != nil {
				return nil, err
			}
			if known[s.way] {
				list = append(list, v)
			}
		}
	}
	return list, nil
}

// aim finds the event in which another value changes a verdict, the last one if several do. It reports whether there is
// one: if not, the rule does not compare this part of events.
func (a aliker) aim(ctx context.Context, v *variants) (bool, error) {
	one, other := v.usual()
	base := v.with(one)
	for v.at = len(v.trace) - 1; v.at >= 0 && !a.budget.isSpent(); v.at-- {
		if changed := v.but(one, other); !slices.EqualFunc(changed, base, spec.Value.Equal) {
			if differ, err := a.differ(ctx, base, changed); differ || err != nil {
				return differ && takes(a.Offer, base), err
			}
		}
	}
	return false, nil
}

// differ reports whether the first trace ends with a loop and the other one does not have the same verdicts.
func (a aliker) differ(ctx context.Context, trace, other []spec.Value) (bool, error) {
	verdicts, err := a.play(ctx, trace)
	if err != nil || !endsInLoop(verdicts) {
		return false, err
	}
	others, err := a.play(ctx, other)
	same := func(v, w spec.Value) bool { return v.Without("evidence").Equal(w.Without("evidence")) }
	return !slices.EqualFunc(verdicts, others, same), err
}

// endsInLoop reports whether the last of the verdicts is a loop.
func endsInLoop(verdicts []spec.Value) bool {
	return len(verdicts) > 0 && verdicts[len(verdicts)-1].Get("loop").IsTrue()
}

func (a aliker) play(ctx context.Context, trace []spec.Value) ([]spec.Value, error) {
	a.budget.spend(opening+len(trace)+charactersOf(trace)+bytesOf(trace)/bytesOfStep, a.weight)
	return play(ctx, a.Detector, a.Fixed, trace)
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
func (a aliker) traces(ctx context.Context, l likeness, v variants) (traces [][]spec.Value, err error) {
	for _, p := range l.pairsOf(v) {
		if a.budget.isSpent() {
			break
		}
		base, trace := v.with(p.one), v.but(p.one, p.other)
		verdicts, err := a.play(ctx, base)
		if err != nil {
			return nil, err
		}
		if !endsInLoop(verdicts) || !a.asks(base) || !a.asks(trace) {
			continue
		}
		if len(traces) == 0 {
			traces = append(traces, base)
		}
		traces = append(traces, trace)
	}
	return traces, nil
}
