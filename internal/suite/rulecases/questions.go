package rulecases

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

// Questions is what a port of a profile is asked. Left is what the port declares and no case tests: a rung, a rule of
// stream, or a member of a rule. If the bounds are the reason, Why says so; without it, no trace was found that depends
// on the part, though all were tried.
type Questions struct {
	Cases []cases.Case
	Left  []conformance.Part
}

// Questions returns what a port is asked, for each of its profiles.
func (d Declared) Questions(ctx context.Context, suite []cases.Case) ([]Questions, error) {
	list := make([]Questions, len(d))
	err := d.sideBySide(ctx, func(one *Declaration, i int, b *budget) { list[i] = one.questions(suite, b) })
	return list, err
}

// questions returns what a port of a profile is asked: the shortest traces that reach its rungs, the profile's own
// cases, the traces of its detector's other cases whose rules use no option that the profile does not use, a case for
// each member of its rules that none of these would miss, cases of a long session, late snapshots and a large event,
// and cases of values that are easily taken for the same. The reference says what is expected of all but the profile's
// own. A case that shows a stated gap is left out.
func (d *Declaration) questions(suite []cases.Case, b *budget) Questions {
	var left []conformance.Part
	made := func(search func(part *budget) []cases.Case) (list []cases.Case) {
		b.share(b.left/searches, func(part *budget) { list = search(part) })
		return list
	}
	b.share(b.left/searches, func(part *budget) { d.witnesses = witnesses(d.Detector, d.Fixed, part) })
	reached, late := made(d.casesOfRungs), made(d.casesOfLongSessions)
	rest := made(func(part *budget) (list []cases.Case) {
		list, left = d.casesOfSuite(suite, part)
		return list
	})
	named, alike := d.casesOfNames(b), made(d.casesOfLikenesses)
	isAsked := func(c cases.Case) bool { return d.showsNoGap(laws.StepsOf(c)) }
	known := lists.Filter(slices.Concat(reached, cases.OfProfile(suite, d.Detector), rest, named, alike), isAsked)
	decisive, open := d.casesOfMembers(known, b)
	return Questions{slices.Concat(known, decisive, late), slices.Concat(d.leftRungs(), left, open)}
}

// showsNoGap reports whether a trace shows none of the gaps that the profile states.
func (d *Declaration) showsNoGap(steps []laws.Step) bool {
	return len(askable(d.Detector, steps)) == len(steps)
}

// askable returns the steps of a trace that show none of the gaps which the profile of an id states.
func askable(id spec.DetectorID, steps []laws.Step) []laws.Step {
	p, err := profile.ByName(string(id[1:]))
	if err != nil {
		return steps // rules of a port's own have no original
	}
	return p.Askable(steps)
}

// asks reports whether a port can be asked a trace: the port takes its events, and the trace shows no stated gap.
func (d *Declaration) asks(trace []spec.Value) bool {
	return takes(d.Offer, trace) && d.showsNoGap(laws.Observing(trace))
}

// unreached returns the rules of which no rung is reached because of the bounds: the rungs say why.
func (d *Declaration) unreached() (rules []string) {
	reached := lists.Filter(d.witnesses, func(w Witness) bool { return len(w.Trace) > 0 })
	for _, w := range d.witnesses {
		isReached := slices.ContainsFunc(reached, func(other Witness) bool { return other.Rule == w.Rule })
		if w.Beyond != "" && !isReached {
			rules = append(rules, w.Rule)
		}
	}
	return rules
}

// searches is how many parts of what is left of a budget each search of [Declared.Questions] takes one of.
const searches = 4

// leftRungs returns the rungs that no trace is known to reach.
func (d *Declaration) leftRungs() []conformance.Part {
	var list []conformance.Part
	for _, w := range d.witnesses {
		if len(w.Trace) > 0 || w.Never != "" {
			continue
		}
		sort, name := "rule", w.Rule
		if w.Rung != "" {
			sort, name = "rung", w.Rung+" of the rule "+w.Rule
		}
		list = append(list, conformance.Part{Detector: d.Detector, Sort: sort, Name: name, Why: w.Beyond})
	}
	return shortened(list)
}

// mostNamed is how many parts are named one by one for which the search had no time.
const mostNamed = 5

// shortened puts the parts last for which the search had no time. Of many, it names the first and counts the others.
func shortened(list []conformance.Part) []conformance.Part {
	cut, others := lists.Partition(list, func(p conformance.Part) bool { return p.Why == ended })
	if len(cut) > mostNamed {
		cut[0].Why += fmt.Sprintf("; likewise %d more", len(cut)-1)
		cut = cut[:1]
	}
	return append(others, cut...)
}

// casesOfSuite returns the traces of the cases of an offer's detector that are about rules such as it has.
func (d *Declaration) casesOfSuite(suite []cases.Case, b *budget) (list []cases.Case, left []conformance.Part) {
	out := 0
	for _, c := range suite {
		switch {
		case c.Detector != d.Detector.Row() || !isTrace(c) || !isAbout(c.Config, d.Offer):
			continue
		case b.isSpent():
			out++
			continue
		}
		b.spend(opening+mostLaps*len(c.Steps), d.weight)
		if judged, reports := d.judged(c); reports {
			list = append(list, judged)
		}
	}
	if out > 0 {
		name := fmt.Sprintf("%d traces of %s by the rules", out, d.Detector.Row())
		left = []conformance.Part{{Detector: d.Detector, Sort: "suite", Name: name, Why: "there are too many rules"}}
	}
	return list, left
}

// CasesOf returns the cases of [Declared.Questions] for a profile alone.
func CasesOf(ctx context.Context, suite []cases.Case, offer spec.Offer) ([]cases.Case, error) {
	q, err := Declared{{Offer: offer, weight: weightOf(offer)}}.Questions(ctx, suite)
	return q[0].Cases, err
}

// Asked returns what the built-in profiles are asked that patterns may name, such as @roo or @roo-reaches-1.
func Asked(ctx context.Context, suite []cases.Case, patterns []string) ([]cases.Case, error) {
	all, err := profile.All()
	if err != nil {
		return nil, err
	}
	var asked []cases.Case
	for _, p := range all {
		names := func(pattern string) bool {
			matches, _ := path.Match(pattern, string(p.ID()))
			return matches || strings.HasPrefix(pattern, string(p.ID())+"-")
		}
		if !slices.ContainsFunc(patterns, names) {
			continue
		}
		list, err := CasesOf(ctx, suite, p.Offer())
		if err != nil {
			return nil, err
		}
		asked = append(asked, list...)
	}
	return asked, nil
}

// placeOf returns where the rules of an offer stand, as a case has it, below the folder cases; for rules of a port's
// own that is their id.
func placeOf(offer spec.Offer) strictyaml.Place {
	p, err := profile.ByName(string(offer.Detector[1:]))
	if err != nil {
		return strictyaml.Place{File: string(offer.Detector), Line: 1}
	}
	_, line := p.Settings()
	return strictyaml.Place{File: "spec/profiles/" + p.Name + ".yaml", Line: line}
}

// isTrace reports whether a case is one session's events and resets and nothing else, and is no profile's own.
func isTrace(c cases.Case) bool {
	return len(c.Steps) > 0 && c.Instances == 0 && !c.IsOfProfile() &&
		!slices.ContainsFunc(c.Steps, func(s cases.Step) bool {
			return s.Action != cases.Observe && s.Action != cases.Reset || s.Fault != nil || s.Session != cases.MainSession ||
				s.Pad > 0 || s.Times*len(s.Events) > mostEvents
		})
}

const (
	mostEvents = 40 // of a step: longer ones are about sizes
	mostLaps   = 6  // how often a trace is repeated until a rule reports
)

// judged returns the case with the verdicts of the profile. Its trace is repeated until some rule reports; judged
// returns false if none ever does.
func (d *Declaration) judged(c cases.Case) (cases.Case, bool) {
	steps := laws.StepsOf(c)
	c.Title = fmt.Sprintf("The trace of %s, by the rules of %s", c.ID, d.Detector)
	c.ID = string(d.Detector) + "-on" + strings.TrimPrefix(c.ID, string(c.Detector))
	c.Why = fmt.Sprintf("The rules of the profile say this. Where the original differs, loopstone show %s says so.",
		d.Detector)
	c.Detector, c.Config, c.Clauses = d.Detector, spec.Value{}, nil
	c.Needs = lists.Filter(c.Needs, func(f spec.Feature) bool { return f == spec.Replies }) // which events have
	loop := d.expect(&c, slices.Repeat(steps, mostLaps))
	if loop < 0 {
		return c, false
	}
	laps := loop/len(steps) + 1
	c.Steps = slices.Clone(c.Steps[:laps*len(steps)]) // what the other laps expect is not kept
	return c, true
}

// expect gives a case the steps, with the verdicts of a profile, and adds the clauses of the first rule that reports.
// It returns the step after which one does; -1 if none does.
func (d *Declaration) expect(c *cases.Case, steps []laws.Step) int {
	verdicts := play(d.Detector, d.Fixed, steps)
	c.Contrast = nil // the loop of a contrast is that of the rules that it was written for
	c.Steps = make([]cases.Step, 0, len(steps))
	var expected []cases.Expectation // of equal verdicts in a row, which are most, there is one
	for i, step := range steps {
		if i == 0 || !verdicts[i].Value().Equal(verdicts[i-1].Value()) {
			expected = expectationOf(verdicts[i])
		}
		c.Steps = append(c.Steps, stepOf(step, expected))
	}
	i := slices.IndexFunc(verdicts, reportsLoop)
	if i >= 0 {
		rule, _ := spec.RuleOf(verdicts[i].Kind)
		c.Clauses = slices.Concat(c.Clauses, rule.Clauses)
	}
	return i
}

// stepOf returns a step of which something is expected.
func stepOf(step laws.Step, expected []cases.Expectation) cases.Step {
	if step.IsReset() {
		return cases.Step{Action: cases.Reset, Session: cases.MainSession}
	}
	return cases.Step{
		Action: cases.Observe, Session: cases.MainSession, Events: []spec.Value{step.Event}, Times: 1, Expect: expected,
	}
}

// expectationOf returns what expects a verdict, but for its evidence, which laws check.
func expectationOf(verdict spec.Verdict) []cases.Expectation {
	var expect cases.Expectation
	for _, m := range verdict.Value().Members() {
		expect.Members = append(expect.Members, cases.MemberWant{Name: m.Name, Want: cases.Want{Equal: m.Value}})
	}
	return []cases.Expectation{expect}
}

// isAbout reports whether the trace of a case is about rules such as an offer has: of composed, with no option that
// these rules do not use; of stream, with a rule in common.
func isAbout(config spec.Value, offer spec.Offer) bool {
	row, _ := spec.DefinitionOf(offer.Detector.Row())
	if row.ID == spec.Composed {
		return isSubset(optionsOf(config), optionsOf(offer.Fixed))
	}
	common := func(k spec.VerdictKind) bool { return slices.Contains(row.Asked(offer.Fixed), k) }
	return slices.ContainsFunc(row.Asked(config), common)
}

// optionsOf returns the options that the rules of a configuration use, such as "same.results=text"; thresholds, sizes
// and names are no options.
func optionsOf(config spec.Value) []string {
	var options []string
	for _, rule := range config.Get("rules").Items() {
		options = appendOptions(options, "", rule)
	}
	return options
}

func appendOptions(options []string, path string, v spec.Value) []string {
	text, isText := v.Str()
	switch {
	case isText:
		return append(options, path+"="+text)
	case v.Kind() == spec.Array:
		for _, item := range v.Items() {
			options = appendOptions(options, path, item)
		}
		return options
	case v.Kind() != spec.Object:
		return append(options, path)
	}
	for _, m := range v.Members() {
		switch m.Name {
		case "name", "severity", "at", "last", "from", "to", "prefix":
		case "only", "except", "silent", "watched", "changes", "keep", "omit":
			options = append(options, path+"."+m.Name) // whichever tools it names
		default:
			options = appendOptions(options, path+"."+m.Name, m.Value)
		}
	}
	return options
}

func isSubset(some, all []string) bool {
	return !slices.ContainsFunc(some, func(o string) bool { return !slices.Contains(all, o) })
}
