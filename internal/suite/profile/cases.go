package profile

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/words"
)

// Offers returns the profiles that a port declares, each with its configuration. Its error names every one that is no
// profile and has no configuration that composed accepts.
func Offers(port spec.Description) ([]spec.Offer, error) {
	var offers []spec.Offer
	for _, offer := range port.Detectors {
		if !offer.Detector.IsProfile() {
			continue
		}
		if offer.Fixed.IsAbsent() {
			p, err := ByName(string(offer.Detector[1:]))
			if err != nil {
				return nil, fmt.Errorf("the port declares %s without a config: %w", offer.Detector, err)
			}
			offer.Fixed = p.Config()
		}
		if _, err := reference.Rules().Open(context.Background(), spec.Composed, spec.Code, offer.Fixed); err != nil {
			return nil, fmt.Errorf("the port declares for %s a config that composed refuses: %w", offer.Detector, err)
		}
		offers = append(offers, offer)
	}
	return offers, nil
}

// CasesOf returns what a port of a profile is asked: the profile's own cases, and the traces of composed's other cases
// whose rules use no option that the profile does not use. The plain rules say what is expected of these.
func CasesOf(ctx context.Context, suite []cases.Case, offer spec.Offer) ([]cases.Case, error) {
	own := "composed-profile-" + string(offer.Detector[1:]) + "-"
	options := optionsOf(offer.Fixed)
	var first, rest []cases.Case
	for _, c := range suite {
		switch {
		case strings.HasPrefix(c.ID, own):
			c.ID, c.Detector, c.Config = string(offer.Detector)+"-"+strings.TrimPrefix(c.ID, own), offer.Detector, spec.Value{}
			first = append(first, c)
		case c.Detector == spec.Composed && isTrace(c) && isSubset(optionsOf(c.Config), options):
			judged, err := judgedBy(ctx, c, offer)
			if err != nil {
				return nil, err
			}
			rest = append(rest, judged...)
		}
	}
	return slices.Concat(first, rest), nil
}

// isTrace reports whether a case is one session's events and resets and nothing else, and is no profile's own.
func isTrace(c cases.Case) bool {
	return len(c.Steps) > 0 && c.Instances == 0 && !strings.HasPrefix(c.ID, "composed-profile-") &&
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
	for laps := 1; laps <= mostLaps; laps++ {
		played := slices.Repeat(steps, laps)
		trace := laws.Trace{Detector: spec.Composed, Reading: spec.Code, Config: offer.Fixed, Steps: played}
		verdicts, err := laws.Play(ctx, reference.Port(), trace)
		if err != nil {
			return nil, fmt.Errorf("%s with the rules of %s: %w", c.ID, offer.Detector, err)
		}
		if !slices.ContainsFunc(verdicts, func(v spec.Value) bool { return v.Get("loop").IsTrue() }) {
			continue
		}
		c.ID = string(offer.Detector) + strings.TrimPrefix(c.ID, string(spec.Composed))
		c.Title += ", by the rules of " + string(offer.Detector)
		c.Detector, c.Config, c.Steps = offer.Detector, spec.Value{}, nil
		for i, step := range played {
			c.Steps = append(c.Steps, stepOf(step, verdicts[i]))
		}
		return []cases.Case{c}, nil
	}
	return nil, nil
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
