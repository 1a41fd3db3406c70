package profile

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/generate"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
	"github.com/loopstone/loopstone/spec/words"
)

// Declared are the profiles that a port declares, each with its configuration.
type Declared []spec.Offer

// Of returns the profiles among the detectors that a port declares. Its error is about the first that is no profile and
// has no configuration that its detector accepts.
func Of(detectors []spec.Offer) (Declared, error) {
	var offers Declared
	for _, offer := range detectors {
		if !offer.Detector.IsProfile() {
			continue
		}
		p, err := ByName(string(offer.Detector[1:]))
		switch {
		case offer.Fixed.IsAbsent() && err != nil:
			return nil, fmt.Errorf("the port declares the detector %s without a config: %w", offer.Detector, err)
		case offer.Fixed.IsAbsent():
			offer.Fixed = p.Config()
		case err == nil && !offer.Fixed.Equal(p.Config()):
			return nil, fmt.Errorf("the port declares a config for %s that is not the profile's; give your rules another name",
				offer.Detector)
		}
		if err := checkConfig(offer.Detector, offer.Fixed); err != nil {
			return nil, fmt.Errorf("the port declares for %s a config that %s refuses: %w",
				offer.Detector, offer.Detector.Row(), err)
		}
		offers = append(offers, offer)
	}
	return offers, nil
}

// Draw is a source of generated traces, which for a profile are about its rules: some begin with the shortest that
// reaches one of its rungs, which chance alone would hardly draw where thresholds are high or texts long.
func (d Declared) Draw(offer spec.Offer, reading spec.Reading) func(*rapid.T) fuzz.Subject {
	for _, declared := range d {
		if declared.Detector == offer.Detector {
			offer.Fixed = declared.Fixed
		}
	}
	draw := generate.For(offer, reading)
	if !offer.Detector.IsProfile() {
		return draw
	}
	reaching := sync.OnceValue(func() [][]laws.Step { return reachingTraces(offer) })
	return func(t *rapid.T) fuzz.Subject {
		s := draw(t)
		if begin := rapid.Bool(); len(reaching()) > 0 && begin.Draw(t, "") && begin.Draw(t, "") {
			s.Steps = slices.Concat(rapid.SampledFrom(reaching()).Draw(t, ""), s.Steps)
		}
		s.Steps = askable(s.Detector, s.Steps)
		return s
	}
}

// reachingTraces returns a trace for each rung that one is known to reach, if the port takes its events. The offer has
// a configuration that the detector takes, as [Of] has seen.
func reachingTraces(offer spec.Offer) (traces [][]laws.Step) {
	witnesses, _ := Witnesses(context.Background(), offer.Detector, offer.Fixed)
	for _, w := range witnesses {
		if len(w.Trace) > 0 && takes(offer, w.Trace) {
			traces = append(traces, stepsOf(w.Trace))
		}
	}
	return traces
}

// CasesOf returns what a port of a profile is asked: the shortest traces that reach its rungs, the profile's own cases,
// and the traces of its detector's other cases whose rules use no option that the profile does not use. The
// reference says what is expected of the first and the last. A case that shows a stated gap is left out.
func CasesOf(ctx context.Context, suite []cases.Case, offer spec.Offer) ([]cases.Case, error) {
	var rest []cases.Case
	for _, c := range suite {
		if c.Detector != offer.Detector.Row() || !isTrace(c) || !isAbout(c.Config, offer) {
			continue
		}
		judged, err := judgedBy(ctx, c, offer)
		if err != nil {
			return nil, err
		}
		rest = append(rest, judged...)
	}
	reached, err := casesOfRungs(ctx, offer)
	all := slices.Concat(reached, cases.OfProfile(suite, offer.Detector), rest)
	return words.Among(all, func(c cases.Case) bool {
		steps := laws.StepsOf(c)
		return len(askable(offer.Detector, steps)) == len(steps)
	}), err
}

// Asked returns what the built-in profiles are asked that patterns may name, such as @roo or @roo-reaches-1.
func Asked(ctx context.Context, suite []cases.Case, patterns []string) ([]cases.Case, error) {
	all, err := All()
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
	p, err := ByName(string(offer.Detector[1:]))
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

// judgedBy returns the case with the verdicts of the profile. Its trace is repeated until some rule reports; a case in
// which none ever does is left out.
func judgedBy(ctx context.Context, c cases.Case, offer spec.Offer) ([]cases.Case, error) {
	steps := laws.StepsOf(c)
	c.Title = fmt.Sprintf("The trace of %s, by the rules of %s", c.ID, offer.Detector)
	c.ID = string(offer.Detector) + "-on" + strings.TrimPrefix(c.ID, string(c.Detector))
	c.Why = fmt.Sprintf("The rules of the profile say this. Where the original differs, loopstone show %s says so.",
		offer.Detector)
	c.Detector, c.Config, c.Clauses = offer.Detector, spec.Value{}, nil
	c.Needs = words.Among(c.Needs, func(f spec.Feature) bool { return f == spec.Replies }) // which events have
	for laps := 1; laps <= mostLaps; laps++ {
		if loops, err := expect(ctx, &c, offer, slices.Repeat(steps, laps)); err != nil || loops {
			return []cases.Case{c}, err
		}
	}
	return nil, nil
}

// expect gives a case the steps, with the verdicts of a profile, and the clauses of the first rule that reports. It
// returns whether one does.
func expect(ctx context.Context, c *cases.Case, offer spec.Offer, steps []laws.Step) (bool, error) {
	trace := laws.Trace{Detector: offer.Detector.Row(), Reading: spec.Code, Config: offer.Fixed, Steps: steps}
	verdicts, err := laws.Play(ctx, reference.Port(), trace)
	if err != nil {
		return false, fmt.Errorf("%s: %w", c.ID, err)
	}
	c.Steps, c.Twin = nil, nil // the loop of a twin is that of the rules that it was written for
	for i, step := range steps {
		c.Steps = append(c.Steps, stepOf(step, verdicts[i]))
	}
	i := slices.IndexFunc(verdicts, func(v spec.Value) bool { return v.Get("loop").IsTrue() })
	if i >= 0 && c.Clauses == nil {
		kind, _ := verdicts[i].Get("kind").Str()
		rule, _ := spec.RuleOf(spec.VerdictKind(kind))
		c.Clauses = rule.Clauses
	}
	return i >= 0, nil
}

// stepOf returns a step that expects a verdict, but for its evidence, which laws check.
func stepOf(step laws.Step, verdict spec.Value) cases.Step {
	if step.IsReset() {
		return cases.Step{Action: cases.Reset, Session: cases.MainSession}
	}
	var expect cases.Expectation
	for _, m := range verdict.Without("evidence").Members() {
		expect.Members = append(expect.Members, cases.MemberWant{Name: m.Name, Want: cases.Want{Equal: m.Value}})
	}
	return cases.Step{
		Action: cases.Observe, Session: cases.MainSession, Events: []spec.Value{step.Event}, Times: 1,
		Expect: []cases.Expectation{expect},
	}
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
		case "only", "except", "silent", "watched", "changes", "keep":
			options = append(options, path+"."+m.Name) // whichever tools it names
		default:
			options = appendOptions(options, path+"."+m.Name, m.Value)
		}
	}
	return options
}

func isSubset(some, all []string) bool {
	return len(words.Among(some, func(o string) bool { return !slices.Contains(all, o) })) == 0
}
