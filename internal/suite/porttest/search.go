package porttest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/launch"
	"github.com/loopstone/loopstone/internal/suite/rulecases"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// Search looks for faults of a port on generated traces until its time is up.
type Search struct {
	fuzz.Campaign
	Jobs      int               // processes of the port
	Detectors []spec.DetectorID // those to look at; all that the port offers where there are none
	Readings  []spec.Reading    // likewise
}

// Start starts a port in the group as often as there are jobs, and an old port that it is compared with if that is not
// nil. It completes the search by what the port declares.
func (s *Search) Start(ctx context.Context, group *launch.Group, target launch.Target, old *launch.Target) error {
	plan := Plan{}
	if s.Against = old != nil; s.Against {
		plan.Settings.Against = []string{old.Command.String()} // either may have names of its own
	}
	started, err := s.start(ctx, group, target, plan.Check)
	if err != nil {
		return err
	}
	if err := s.choose(ctx, started[0].Description); err != nil {
		return err
	}
	var oracles []launch.Port
	if s.Against {
		if oracles, err = s.start(ctx, group, *old, plan.Check); err != nil {
			return fmt.Errorf("the old port: %w", err)
		}
	}
	for i, port := range started {
		pair := fuzz.Pair{Port: port.Adapter, Oracle: s.Reference}
		if oracles != nil {
			pair.Oracle = oracles[i].Adapter
		}
		s.Pairs = append(s.Pairs, pair)
	}
	return nil
}

// start starts a port as often as there are jobs, side by side.
func (s *Search) start(
	ctx context.Context, group *launch.Group, target launch.Target, check func(spec.Description) error,
) ([]launch.Port, error) {
	started, problems := make([]launch.Port, s.Jobs), make([]error, s.Jobs)
	var starts sync.WaitGroup
	for i := range started {
		starts.Go(func() { started[i], problems[i] = group.Start(ctx, target, check) })
	}
	starts.Wait()
	return started, cmp.Or(problems...)
}

// choose chooses the laws that the port is held to, and what its traces are drawn from.
func (s *Search) choose(ctx context.Context, port spec.Description) error {
	profiles, err := rulecases.Of(port.Detectors)
	if err == nil {
		err = profiles.Search(ctx)
	}
	if err != nil {
		return err
	}
	s.Source, s.Asks, s.Reference = profiles.Draw, profiles.Asks, reference.Port(profiles.Offers()...)
	for _, offer := range port.Detectors {
		if len(s.Detectors) > 0 && !slices.Contains(s.Detectors, offer.Detector) {
			continue
		}
		for _, law := range lawsOf(offer) {
			law.Readings = slices.DeleteFunc(slices.Clone(law.Readings), func(reading spec.Reading) bool {
				return len(s.Readings) > 0 && !slices.Contains(s.Readings, reading)
			})
			s.Laws = append(s.Laws, law)
		}
	}
	return nil
}
