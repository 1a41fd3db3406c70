// Package rulecases makes the cases that a port is asked which declares a profile, or rules of composed or stream that
// are its own.
//
// [Of] reads what the port declares, and [Declared.Questions] makes the cases. For each rung (a threshold and what
// happens there) a search finds the events after which the rule reports a loop ([Witnesses]). These traces are cases.
// Further cases have such a trace with a disturbance, with values that a port may take for the same (alike.go), or late
// in a long session (late.go). For each member of the declaration, a search finds a trace on which a port without the
// member gives another verdict (member.go). The reference says which verdicts the cases expect. A port may declare any
// rules, so each search has a budget, and [Questions] says what no search reached.
package rulecases

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/internal/suite/tracegen"
	"github.com/loopstone/loopstone/spec"
)

// Declared are the profiles that a port declares.
type Declared []Declaration

// Declaration is a profile as a port declares it, with its configuration.
type Declaration struct {
	spec.Offer

	weight    int       // what playing an event costs
	witnesses []Witness // see [Declared.Search]
}

// Offers returns the profiles as detectors.
func (d Declared) Offers() []spec.Offer {
	return lists.Map(d, func(one Declaration) spec.Offer { return one.Offer })
}

// The bounds of the configurations that a port declares (PR-55).
const (
	mostConfigs     = 8
	mostConfigBytes = 65_536
	mostRules       = 500
	mostRungs       = 100 // of a rule
)

// checkSize returns an error where a declared configuration is larger than the bounds.
func checkSize(id spec.DetectorID, config spec.Value) error {
	if n := len(config.AppendJSON(nil)); n > mostConfigBytes {
		return fmt.Errorf("the port declares for %s a config of %d bytes, more than %d (PR-55)", id, n, mostConfigBytes)
	}
	if id.Row() == spec.Stream {
		for i, rule := range rulesIn(config) {
			if slices.ContainsFunc(rulesIn(config)[:i], rule.Equal) {
				return fmt.Errorf("the port declares for %s the rule %s twice (PR-55)", id, rule)
			}
		}
		return nil
	}
	if n := len(rulesIn(config)); n > mostRules {
		return fmt.Errorf("the port declares for %s %d rules, more than %d (PR-55)", id, n, mostRules)
	}
	for i, rule := range rulesIn(config) {
		if n := len(rule.Get("rungs").Items()); n > mostRungs {
			return fmt.Errorf("the port declares for %s %d rungs of rule %d, more than %d (PR-55)", id, n, i+1, mostRungs)
		}
	}
	return nil
}

// Of returns the profiles among the detectors that a port declares. Its error is about the first that is no profile and
// has no configuration that its detector accepts.
func Of(detectors []spec.Offer) (Declared, error) {
	var offers Declared
	configs := 0
	for _, offer := range detectors {
		if !offer.Detector.IsProfile() {
			continue
		}
		if !offer.Fixed.IsAbsent() {
			if configs++; configs > mostConfigs {
				return nil, fmt.Errorf("the port declares more than %d detectors with a config (PR-55)", mostConfigs)
			}
			if err := checkSize(offer.Detector, offer.Fixed); err != nil {
				return nil, err
			}
		}
		p, err := profile.ByName(string(offer.Detector[1:]))
		switch {
		case offer.Fixed.IsAbsent() && err != nil:
			return nil, fmt.Errorf("the port declares the detector %s without a config: %w", offer.Detector, err)
		case offer.Fixed.IsAbsent():
			offer.Fixed = p.Config()
		case err == nil && !offer.Fixed.Equal(p.Config()):
			return nil, fmt.Errorf("the port declares a config for %s that is not the profile's; give your rules another name",
				offer.Detector)
		}
		if err := profile.CheckConfig(offer.Detector, offer.Fixed); err != nil {
			return nil, fmt.Errorf("the port declares for %s a config that %s refuses: %w",
				offer.Detector, offer.Detector.Row(), err)
		}
		offers = append(offers, Declaration{Offer: offer, weight: weightOf(offer)})
	}
	return offers, nil
}

// Search looks for the traces that reach the rungs of each profile: generated traces begin with some of them.
func (d Declared) Search(ctx context.Context) error {
	return d.sideBySide(ctx, func(one *Declaration, _ int, b *budget) {
		one.witnesses = witnesses(one.Detector, one.Fixed, b)
	})
}

// sideBySide searches for each profile, with its part of the budget, as many at once as there are processors. Its error
// is about the first profile, in their order, whose search the end of the context cuts.
func (d Declared) sideBySide(ctx context.Context, search func(one *Declaration, i int, b *budget)) error {
	run, failed, panicked := &budget{ctx, stepsOfRun}, make([]error, len(d)), make([]any, len(d))
	processors := make(chan struct{}, runtime.GOMAXPROCS(0))
	var searches sync.WaitGroup
	for i := range d {
		b := run.ofConfig(d[i].Offer)
		processors <- struct{}{}
		searches.Go(func() {
			defer func() {
				if p := recover(); p != nil { // it goes on where this was called, which knows whose fault it is
					panicked[i] = fmt.Sprintf("%v\n%s", p, debug.Stack())
				}
				<-processors
			}()
			if search(&d[i], i, b); ctx.Err() != nil {
				failed[i] = &SearchError{d[i].Detector, ctx.Err()}
			}
		})
	}
	searches.Wait()
	if p := cmp.Or(panicked...); p != nil {
		panic(p)
	}
	return cmp.Or(failed...)
}

// SearchError is the error of a search for the traces of a profile.
type SearchError struct {
	Detector spec.DetectorID
	Err      error
}

// Error returns whose traces were looked for, and what is wrong.
func (e *SearchError) Error() string {
	return fmt.Sprintf("look for traces of %s: %v", e.Detector, e.Err)
}

// Unwrap returns what is wrong.
func (e *SearchError) Unwrap() error { return e.Err }

// Hopeless reports whether no trace is known, after the search, that reaches a loop of a profile.
func (d Declared) Hopeless(id spec.DetectorID) bool {
	one, known := d.of(id)
	return known && !slices.ContainsFunc(one.witnesses, func(w Witness) bool { return len(w.Trace) > 0 })
}

// of returns a profile that the port declares, and whether it does.
func (d Declared) of(id spec.DetectorID) (Declaration, bool) {
	return lists.Find(d, func(one Declaration) bool { return one.Detector == id })
}

// Draw is a source of generated traces, which for a profile are about its rules: some begin with the shortest that
// reaches one of its rungs, which chance alone would hardly draw where thresholds are high or texts long. These traces
// are known after [Declared.Search].
func (d Declared) Draw(offer spec.Offer, reading spec.Reading) func(*rapid.T) fuzz.Subject {
	var reaching [][]laws.Step
	if declared, known := d.of(offer.Detector); known {
		offer.Fixed = declared.Fixed
		reaching = reachingTraces(offer, declared.witnesses)
	}
	draw := tracegen.For(offer, reading)
	if !offer.Detector.IsProfile() {
		return draw
	}
	weight := weightOf(offer)
	return func(t *rapid.T) fuzz.Subject {
		s := draw(t)
		if begin := rapid.Bool(); len(reaching) > 0 && begin.Draw(t, "") && begin.Draw(t, "") {
			s.Steps = slices.Concat(rapid.SampledFrom(reaching).Draw(t, ""), s.Steps)
		}
		s.Steps = askable(s.Detector, s.Steps)
		s.Steps = s.Steps[:max(len(affordable(s.Steps, weight)), min(len(s.Steps), 1))] // the first step at least
		return s
	}
}

// Asks reports whether a port is asked a subject: a trace of a profile that shows a stated gap is not, nor one that
// takes so long that no law could be tried on it many times.
func (d Declared) Asks(s fuzz.Subject) bool {
	if s.IsCall() || !s.Detector.IsProfile() {
		return true
	}
	one, known := d.of(s.Detector)
	isAffordable := !known || len(affordable(s.Steps, one.weight)) == len(s.Steps)
	return isAffordable && len(askable(s.Detector, s.Steps)) == len(s.Steps)
}

// stepsOfTrace is how many steps, as in the budget of a search, a generated trace may take: it is played many times.
const stepsOfTrace = 50_000

// affordable returns the beginning of a trace that keeps to the bound; an event costs weight, and so does a character.
func affordable(steps []laws.Step, weight int) []laws.Step {
	left := stepsOfTrace
	for i, step := range steps {
		if left -= (1 + charactersOf([]spec.Value{step.Event})) * weight; left < 0 {
			return steps[:i]
		}
	}
	return steps
}

// The longest trace that generated ones begin with: each of them is played many times.
const (
	mostBegunEvents     = 250
	mostBegunCharacters = 5000
)

// reachingTraces returns the traces of witnesses that the port takes and that generated ones may begin with.
func reachingTraces(offer spec.Offer, witnesses []Witness) (traces [][]laws.Step) {
	for _, w := range witnesses {
		n := len(w.Trace)
		isShort := 0 < n && n <= mostBegunEvents && charactersOf(w.Trace) <= mostBegunCharacters
		if isShort && takes(offer, w.Trace) {
			traces = append(traces, laws.Observing(w.Trace))
		}
	}
	return traces
}
