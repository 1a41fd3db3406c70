// Package guessfloor computes the floor under a score: the best score that a port can get by guessing.
//
// A suite whose cases mostly expect no loop would praise a port that never speaks. The floor is the best score among
// ports that guess: always a loop, never, after a few events, when an event is as the one before. Beside it a port's
// own score means something, and where the floor is low, passing is no accident.
package guessfloor

import (
	"context"
	"fmt"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// Port returns a port that guesses, of every detector and reading. It refuses what the table of the specification says
// is no configuration, and every event that the protocol does not allow; it has no feature and no function.
func Port(guess Guess) *spec.Host {
	return portOf(guess, lists.Map(spec.Detectors(), spec.Definition.Offer))
}

// portOf returns a port that guesses, of what the offers have but for their features.
func portOf(guess Guess, offers []spec.Offer) *spec.Host {
	var implementations []spec.Implementation
	for _, offer := range offers {
		offer.Features = nil
		rules := lists.Filter(offer.Definition().Rules, func(r spec.Rule) bool { return offer.HasRule(r.Kind) })
		implementations = append(implementations, spec.Implementation{
			Offer: offer,
			New: func(reading spec.Reading, config spec.Value) (spec.Detector, error) {
				_, err := offer.Read(reading, config)
				return newGuesser(guess, rules), err
			},
		})
	}
	return spec.NewHost(spec.Description{Name: guess.Name, Language: "go"}, implementations...)
}

// Of returns the best score of a guess at the suite, for every detector and reading that it has cases for, in the order
// of the suite.
func Of(ctx context.Context, suite []cases.Case) (cases.Floor, error) {
	return best(ctx, suite, Port)
}

// OfPart returns the floor of a detector of which a port has less than all: a guess has the same rules, members and
// settings, and is asked the same.
func OfPart(ctx context.Context, suite []cases.Case, offer spec.Offer) (cases.Floor, error) {
	suite = lists.Filter(suite, func(c cases.Case) bool { return c.Detector == offer.Detector })
	return best(ctx, suite, func(g Guess) *spec.Host { return portOf(g, []spec.Offer{offer}) })
}

func best(ctx context.Context, suite []cases.Case, port func(Guess) *spec.Host) (cases.Floor, error) {
	suite = lists.Filter(suite, cases.Case.CountsForScore)
	var best []cases.FloorScore
	for _, guess := range guesses() {
		scores, err := play(ctx, suite, guess, port(guess))
		if err != nil {
			return cases.Floor{}, err
		}
		best = better(best, scores)
	}
	return cases.Floor{Scores: best}, nil
}

// play runs the suite against one guess.
func play(ctx context.Context, suite []cases.Case, guess Guess, port *spec.Host) ([]cases.FloorScore, error) {
	info := conformance.SuiteInfo{Version: spec.Version, Selected: len(suite), Total: len(suite)}
	report, err := conformance.Run(ctx, port, suite, conformance.Options{Jobs: 1, Suite: info})
	if err != nil {
		return nil, fmt.Errorf("the guess %q: %w", guess.Name, err)
	}
	ofPart := func(r conformance.Result) [2]string { return [2]string{string(r.Detector), string(r.Reading)} }
	return lists.Map(lists.Grouped(report.Results, ofPart), func(results []conformance.Result) cases.FloorScore {
		has := func(s conformance.Status) int {
			return lists.Count(results, func(r conformance.Result) bool { return r.Status == s })
		}
		return cases.FloorScore{
			Detector: results[0].Detector, Reading: results[0].Reading, Guess: guess.Name,
			All: len(results), Asked: len(results) - has(conformance.Skipped), Passed: has(conformance.Passed),
		}
	}), nil
}

// better takes over the scores that are higher. Both lists are of the same suite, or best is empty.
func better(best, scores []cases.FloorScore) []cases.FloorScore {
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

// Limit is what no guess may reach, in percent of the cases asked.
const Limit = 35

// TooHigh returns the scores that reach the limit, one problem a line.
func TooHigh(t cases.Floor) []error {
	var problems []error
	for _, s := range t.Scores {
		if s.Percent() >= Limit {
			problems = append(problems,
				fmt.Errorf("%s (%s): a port that says %q passes %d of %d cases, which is %.1f %%; want below %d %%",
					s.Detector, s.Reading, s.Guess, s.Passed, s.Asked, s.Percent(), Limit))
		}
	}
	return problems
}
