package bench

import (
	"context"
	"fmt"
	"io"
	"math"
	"text/tabwriter"
	"time"
)

const (
	// flat is the largest exponent of a cost that does not grow: caches that fill and heaps that are collected make a few
	// percent, and a list that is searched makes 1.
	flat = 0.25
	// mostMemory is how many bytes more the longest trace may leave resident than the shortest. A runtime with a garbage
	// collector takes what it needs not give back; a trace that is kept whole takes more.
	mostMemory = 16 << 20
	// rounds is how often each point is measured. The fastest counts: whatever disturbs a run makes it slower.
	rounds = 3
	// doubts is how many rounds more are made while a curve seems to grow: a busy machine must not look like a list.
	doubts = 3
)

// Curve is what an event costs one detector of a port as the trace grows (PR-36). A power law is fitted to it: an
// exponent of 0 means that the cost stays the same, one of 1 that it doubles where the trace does.
type Curve struct {
	Target Target
	Points []Point
}

// Point is a trace of so many events.
type Point struct {
	Events   int
	PerEvent time.Duration // on average
	Resident int64         // bytes of the process at the end; 0 where unknown
}

// Name returns the detector and its reading.
func (c Curve) Name() string { return fmt.Sprintf("%s (%s)", c.Target.Detector, c.Target.Reading) }

// Exponent returns k of the law that the time per event is proportional to eventsᵏ: the slope of the least-squares line
// through the logarithms.
func (c Curve) Exponent() float64 {
	var sumX, sumY, sumXX, sumXY float64
	for _, p := range c.Points {
		x, y := math.Log(float64(p.Events)), math.Log(float64(p.PerEvent))
		sumX, sumY, sumXX, sumXY = sumX+x, sumY+y, sumXX+x*x, sumXY+x*y
	}
	n := float64(len(c.Points))
	return (n*sumXY - sumX*sumY) / (n*sumXX - sumX*sumX)
}

// Memory returns how many bytes more the last point left resident than the first.
func (c Curve) Memory() int64 { return c.Points[len(c.Points)-1].Resident - c.Points[0].Resident }

// Grows says what grows: "nothing" where the cost of an event and the memory of a trace stay the same.
func (c Curve) Grows() string {
	slower, memory := c.Exponent() > flat, c.Memory() > mostMemory
	switch {
	case slower && memory:
		return "time and memory"
	case slower:
		return "time"
	case memory:
		return "memory"
	default:
		return Nothing
	}
}

// Nothing is what grows of a detector that keeps to PR-36.
const Nothing = "nothing"

// MeasureGrowth measures, of the targets, those of the steady workloads, in traces of the shortest number of events and
// 2, 4 and 8 times as many.
func MeasureGrowth(ctx context.Context, program Program, targets []Target, shortest int) ([]Curve, error) {
	var curves []Curve
	for _, target := range targets {
		set, err := For(target.Detector)
		if err != nil {
			return nil, err
		}
		if target.Workload.Name != set.Steady {
			continue
		}
		c := Curve{Target: target}
		if err := c.measure(ctx, program, shortest); ctx.Err() != nil { // which is why the port ended
			return nil, ctx.Err()
		} else if err != nil {
			return nil, fmt.Errorf("measure the growth of %s on %s: %w", program, target, err)
		}
		curves = append(curves, c)
	}
	return curves, nil
}

// measure takes all points of the curve, as often as there are rounds; of each point the best of all rounds counts.
func (c *Curve) measure(ctx context.Context, program Program, shortest int) error {
	for n := shortest; n <= 8*shortest; n *= 2 {
		c.Points = append(c.Points, Point{n, math.MaxInt64, math.MaxInt64})
	}
	for round := 0; round < rounds || round < rounds+doubts && c.Grows() != Nothing; round++ {
		for i := range c.Points {
			best := &c.Points[i]
			run, err := Feed(ctx, program, c.Target, best.Events, 0)
			if err != nil {
				return err
			}
			perEvent := run.Spent / time.Duration(run.Events)
			best.PerEvent, best.Resident = min(best.PerEvent, perEvent), min(best.Resident, run.Resident)
		}
	}
	return nil
}

// WriteCurves prints what an event costs after each number of events, the exponent of the fit, the memory, and what
// grows. All curves have the same numbers of events.
func WriteCurves(w io.Writer, curves []Curve) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "detector\tworkload\t")
	for _, p := range curves[0].Points {
		fmt.Fprintf(table, "%d\t", p.Events)
	}
	fmt.Fprint(table, "exponent\tmemory\tgrows\t\n")
	for _, c := range curves {
		fmt.Fprintf(table, "%s\t%s\t", c.Name(), c.Target.Workload.Name)
		for _, p := range c.Points {
			fmt.Fprintf(table, "%d ns\t", p.PerEvent.Nanoseconds())
		}
		fmt.Fprintf(table, "%.2f\t%+.1f MB\t%s\t\n", c.Exponent(), float64(c.Memory())/(1<<20), c.Grows())
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return nil
}
