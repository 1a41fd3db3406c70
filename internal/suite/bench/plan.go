package bench

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// Target is what a sample is of: one detector of a port, in one reading, on one workload.
type Target struct {
	Detector spec.DetectorID
	Reading  spec.Reading
	Workload Workload
	Config   spec.Value // of the session: the usual one where the port has defaults of its own, else absent
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
	for _, offer := range inOrder(offered.Detectors) {
		set, err := For(offer.Detector)
		if err != nil {
			return nil, err
		}
		for _, reading := range offer.Readings {
			for _, w := range set.Workloads {
				t := Target{offer.Detector, reading, w, offer.Config(reading, spec.Value{})}
				if matches.MatchString(t.String()) && (pattern != "" || !w.Long) {
					targets = append(targets, t)
				}
			}
		}
	}
	if len(targets) == 0 {
		if pattern == "" {
			return nil, fmt.Errorf("choose what to measure: no detector of %s has workloads", offered.Name)
		}
		return nil, fmt.Errorf("choose what to measure: %q matches nothing that %s offers", pattern, offered.Name)
	}
	return targets, nil
}

// inOrder returns the specification's detectors among the offers, in its order, and behind them the profiles.
func inOrder(offers []spec.Offer) []spec.Offer {
	var list []spec.Offer
	for _, row := range spec.Detectors() {
		if i := slices.IndexFunc(offers, func(o spec.Offer) bool { return o.Detector == row.ID }); i >= 0 {
			list = append(list, offers[i])
		}
	}
	for _, o := range offers {
		if o.Detector.IsProfile() {
			list = append(list, o)
		}
	}
	return list
}

// Program starts a port.
type Program struct {
	stdio.Command
	Left func(process string) // as in [stdio.Options]; may be nil
}

// Describe asks the port that the program starts what it offers.
func Describe(ctx context.Context, program Program) (spec.Description, error) {
	client, err := stdio.Start(ctx, program.Command, stdio.Options{SuiteVersion: spec.Version, Left: program.Left})
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
		common.Detectors = append(common.Detectors, offer.And(other))
	}
	return common
}

// Port is one of the ports that are measured in a run, and where its results go.
type Port struct {
	Program Program
	Results *Results
}

// Plan says how much is measured.
type Plan struct {
	Targets []Target
	Count   int           // samples of each target and port
	Time    time.Duration // of the stream of a sample; the rest of it takes about as long again
	// Progress, unless it is nil, is told about each sample before it is taken.
	Progress func(done, all int, what string)
}

// Run measures: in each of Count rounds every target, and of every target all ports, which take turns in being the
// first. Its error names the port and the target.
func Run(ctx context.Context, ports []Port, plan Plan) error {
	all := plan.Count * len(plan.Targets) * len(ports)
	done := 0
	for round := range plan.Count {
		for _, target := range plan.Targets {
			for i := range ports {
				port := ports[(i+round)%len(ports)]
				if plan.Progress != nil {
					plan.Progress(done, all, target.String())
				}
				sample, err := Measure(ctx, port.Program, target, plan.Time)
				if err != nil {
					return fmt.Errorf("measure %s on %s: %w", port.Program, target, err)
				}
				if err := port.Results.Add(target, sample); err != nil {
					return err
				}
				done++
			}
		}
	}
	return nil
}
