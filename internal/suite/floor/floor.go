// Package floor says what a port scores that knows nothing.
//
// A suite whose cases mostly expect no loop would praise a port that never speaks. The floor is the best score among
// ports that guess: always a loop, never, after a few events, when an event is as the one before. Beside it a port's own
// score means something, and where the floor is low, passing is no accident.
package floor

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

// Score is what the best guess reaches at one detector in one reading.
type Score struct {
	Detector spec.DetectorID `json:"detector"`
	Reading  spec.Reading    `json:"reading"`
	Guess    string          `json:"guess"`  // which one it is
	Passed   int             `json:"passed"` // cases that count
	Asked    int             `json:"asked"`  // of them, those that need no feature: a port that guesses declares none
	All      int             `json:"all"`    // of them, those that need a feature included
}

// Percent returns the passed cases among those asked, from 0 to 100; 0 where none was.
func (s Score) Percent() float64 { return percent(s.Passed, s.Asked) }

// OfAll returns the passed cases among all, from 0 to 100.
func (s Score) OfAll() float64 { return percent(s.Passed, s.All) }

func percent(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// Port returns a port of every detector and reading that guesses. It refuses what the table of the specification says is
// no configuration, and every event that the protocol does not allow; it has no feature and no function.
func Port(guess Guess) *spec.Host {
	var implementations []spec.Implementation
	for _, p := range spec.Detectors() {
		implementations = append(implementations, spec.Implementation{
			Offer: spec.Offer{Detector: p.ID, Readings: p.Readings},
			New: func(reading spec.Reading, config spec.Value) (spec.Detector, error) {
				if field := wrongSetting(p.SettingsIn(reading), config); field != "" {
					return nil, &spec.Fault{Kind: spec.InvalidConfig, Field: field}
				}
				return newGuesser(guess, p.Rules), nil
			},
		})
	}
	return spec.NewHost(spec.Description{Name: guess.Name, Language: "go"}, implementations...)
}

// wrongSetting returns the member of a configuration that the settings do not allow; empty where all are allowed.
func wrongSetting(settings []spec.Parameter, config spec.Value) string {
	for _, m := range config.Members() {
		i := slices.IndexFunc(settings, func(p spec.Parameter) bool { return p.Name == m.Name })
		if i < 0 || !allows(settings[i], m.Value) {
			return m.Name
		}
	}
	return ""
}

func allows(p spec.Parameter, v spec.Value) bool {
	text, isText := v.Str()
	within := spec.Parameter{Kind: p.Of, Least: p.Least, OneOf: p.OneOf, Members: p.Members}
	inside := func(item spec.Value) bool { return !allows(within, item) }
	switch {
	case v.Kind() != p.Kind:
		return false
	case p.Kind == spec.Number:
		n, isInt := v.Int()
		return isInt && n >= p.Least
	case isText:
		return len(p.OneOf) == 0 || slices.Contains(p.OneOf, text)
	case p.Kind == spec.Object && p.Members != nil:
		return wrongSetting(p.Members, v) == ""
	default:
		return !slices.ContainsFunc(v.Items(), inside) &&
			!slices.ContainsFunc(v.Members(), func(m spec.Member) bool { return inside(m.Value) })
	}
}

// Counts reports whether a case counts for the score. One that only wants to hear a refusal does not: whoever checks what
// comes in passes it, and knows nothing of loops.
func Counts(c cases.Case) bool {
	hears := func(s cases.Step) bool { return len(s.Expect) > 0 || s.Action == cases.State }
	return c.Call != nil && c.Call.Fault == nil || slices.ContainsFunc(c.Steps, hears)
}

// counted are the ids of the cases of the built-in suite that count.
var counted = sync.OnceValues(func() (map[string]bool, error) {
	suite, err := cases.All()
	ids := map[string]bool{}
	for _, c := range suite {
		ids[c.ID] = Counts(c)
	}
	return ids, err
})

// CountsByID reports whether the case of the built-in suite of that id counts for the score. Laws do not.
func CountsByID(id string) bool {
	ids, err := counted()
	return err == nil && ids[id]
}

// Of returns the best score of a guess at the suite, for every detector and reading that it has cases for, in the order
// of the suite.
func Of(ctx context.Context, suite []cases.Case) (Table, error) {
	var best []Score
	for _, guess := range guesses() {
		scores, err := play(ctx, suite, guess)
		if err != nil {
			return Table{}, err
		}
		best = better(best, scores)
	}
	return Table{Digest: cases.Digest(suite), Scores: best}, nil
}

// play runs the suite against one guess.
func play(ctx context.Context, suite []cases.Case, guess Guess) ([]Score, error) {
	suite = slices.DeleteFunc(slices.Clone(suite), func(c cases.Case) bool { return !Counts(c) })
	info := conformance.SuiteInfo{Version: spec.Version, Selected: len(suite), Total: len(suite)}
	report, err := conformance.Run(ctx, Port(guess), suite, conformance.Options{Jobs: 1, Suite: info})
	if err != nil {
		return nil, fmt.Errorf("the guess %q: %w", guess.Name, err)
	}
	var scores []Score
	index := map[[2]string]int{}
	for _, r := range report.Results {
		key := [2]string{string(r.Detector), string(r.Reading)}
		i, known := index[key]
		if !known {
			i = len(scores)
			index[key] = i
			scores = append(scores, Score{Detector: r.Detector, Reading: r.Reading, Guess: guess.Name})
		}
		scores[i].add(r.Status)
	}
	return scores, nil
}

func (s *Score) add(status conformance.Status) {
	s.All++
	if status != conformance.Skipped {
		s.Asked++
	}
	if status == conformance.Passed {
		s.Passed++
	}
}

// better takes over the scores that are higher. Both lists are of the same suite, or best is empty.
func better(best, scores []Score) []Score {
	if best == nil {
		return scores
	}
	for i, s := range scores {
		if s.Passed > best[i].Passed {
			best[i] = s
		}
	}
	return best
}
