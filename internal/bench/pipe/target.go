package pipe

import (
	"context"
	"fmt"
	"regexp"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/bench/workload"
	"github.com/loopstone/loopstone/spec"
)

// Target is what a sample is of: one detector of a port, in one reading, on one workload.
type Target struct {
	Detector spec.DetectorID
	Reading  spec.Reading
	Workload workload.Workload
}

// String returns the target's name in results, after the word Pipe.
func (t Target) String() string {
	return fmt.Sprintf("detector=%s/reading=%s/workload=%s", t.Detector, t.Reading, t.Workload.Name)
}

// Targets returns all that a port offers and whose name the pattern matches. An empty pattern matches all but the
// long workloads. It is an error where none is left.
func Targets(offered spec.Description, pattern string) ([]Target, error) {
	matches, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("choose what to measure: %w", err)
	}
	var targets []Target
	for _, profile := range spec.Profiles() {
		offer, _ := offered.Offer(profile.ID)
		for _, reading := range offer.Readings {
			for _, w := range workload.For(profile.ID) {
				t := Target{profile.ID, reading, w}
				if pattern == "" && w.Long || !matches.MatchString(t.String()) {
					continue
				}
				targets = append(targets, t)
			}
		}
	}
	if len(targets) == 0 {
		return nil, fmt.Errorf("choose what to measure: %q matches nothing that %s offers", pattern, offered.Name)
	}
	return targets, nil
}

// Describe asks the port that the command starts what it offers.
func Describe(ctx context.Context, command stdio.Command) (spec.Description, error) {
	client, err := stdio.Start(ctx, command, stdio.Options{SuiteVersion: spec.Version})
	if err != nil {
		return spec.Description{}, err
	}
	defer client.Close()
	return client.Describe(ctx)
}

// Common returns what both descriptions offer.
func Common(a, b spec.Description) spec.Description {
	common := spec.Description{Name: a.Name + " and " + b.Name}
	for _, offer := range a.Detectors {
		other, _ := b.Offer(offer.Detector)
		both := spec.Offer{Detector: offer.Detector}
		for _, reading := range offer.Readings {
			for _, same := range other.Readings {
				if reading == same {
					both.Readings = append(both.Readings, reading)
				}
			}
		}
		common.Detectors = append(common.Detectors, both)
	}
	return common
}
