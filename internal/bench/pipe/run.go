package pipe

import (
	"context"
	"fmt"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
)

// Port is one of the ports that are measured in a run, and where its results go.
type Port struct {
	Command stdio.Command
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
				sample, err := Measure(ctx, port.Command, target, plan.Time)
				if err != nil {
					return fmt.Errorf("measure %s on %s: %w", port.Command, target, err)
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

// Measure takes one sample of a port, in a process of its own; its stream takes about as long as the limit says.
func Measure(ctx context.Context, command stdio.Command, target Target, limit time.Duration) (Sample, error) {
	c, err := startChild(ctx, command)
	if err != nil {
		return Sample{}, err
	}
	defer c.close()
	s, err := c.open(target.Detector, target.Reading, target.Workload)
	if err != nil {
		return Sample{}, err
	}
	s.prepare(target.Workload.Ring(), 0)
	return s.measure(limit, target.Workload)
}
