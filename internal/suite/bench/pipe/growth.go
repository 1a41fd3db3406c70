package pipe

import (
	"context"
	"fmt"
	"io"
	"math"
	"regexp"
	"text/tabwriter"
	"time"

	"github.com/loopstone/loopstone/internal/suite/bench/workload"
	"github.com/loopstone/loopstone/spec"
)

const (
	// flat is the largest exponent of a cost that does not grow: caches that fill and heaps that are collected make a few
	// percent, and a list that is searched makes 1.
	flat = 0.25
	// linear is the largest exponent of a cost that grows as its axis does.
	linear = 1.25
	// mostMemory is how many bytes more the longest trace may leave resident than the shortest. A runtime with a garbage
	// collector takes what it needs not give back; a trace that is kept whole takes more.
	mostMemory = 16 << 20
	// rounds is how often each point is measured. The fastest counts: whatever disturbs a run makes it slower.
	rounds = 3
	// doubts is how many rounds more are made while a curve seems to grow: a busy machine must not look like a list.
	doubts = 3
)

// Curve is what an event costs one detector of a port as the trace (PR-36) or the window grows. A power law is fitted
// to it: an exponent of 0 means that the cost stays the same, one of 1 that it doubles where the size does.
type Curve struct {
	Target Target
	Window string // the setting that holds the window's size; empty for a curve by events observed
	Points []Point
}

// Point is a trace of so many events, or a full window of so many items.
type Point struct {
	Size     int
	PerEvent time.Duration // on average
	Resident int64         // bytes of the process at the end; 0 where unknown
}

// Name returns the detector and its reading.
func (c Curve) Name() string { return fmt.Sprintf("%s (%s)", c.Target.Detector, c.Target.Reading) }

// Exponent returns k of the law that the time per event is proportional to sizeᵏ: the slope of the least-squares line
// through the logarithms.
func (c Curve) Exponent() float64 {
	var sumX, sumY, sumXX, sumXY float64
	for _, p := range c.Points {
		x, y := math.Log(float64(p.Size)), math.Log(float64(p.PerEvent))
		sumX, sumY, sumXX, sumXY = sumX+x, sumY+y, sumXX+x*x, sumXY+x*y
	}
	n := float64(len(c.Points))
	return (n*sumXY - sumX*sumY) / (n*sumXX - sumX*sumX)
}

// Memory returns how many bytes more the last point left resident than the first.
func (c Curve) Memory() int64 { return c.Points[len(c.Points)-1].Resident - c.Points[0].Resident }

// Grows says what grows, and how: "nothing" where the cost of an event and the memory of a trace stay the same. The
// memory of a window may grow with it.
func (c Curve) Grows() string {
	k, memory := c.Exponent(), c.Window == "" && c.Memory() > mostMemory
	switch {
	case k > flat && memory:
		return "time and memory"
	case k > linear:
		return "time, faster than linearly"
	case k > flat:
		return "time"
	case memory:
		return "memory"
	default:
		return Nothing
	}
}

// Nothing is what grows of a detector that keeps to PR-36.
const Nothing = "nothing"

// axis names what the sizes are of.
func (c Curve) axis() string {
	if c.Window == "" {
		return "events"
	}
	return c.Window
}

// MeasureGrowth measures, for every detector and reading of the port whose target the pattern matches, the steady
// workload in traces of the shortest number of events, and 2, 4 and 8 times as many.
func MeasureGrowth(
	ctx context.Context, program Program, offered spec.Description, pattern *regexp.Regexp, shortest int,
) ([]Curve, error) {
	var curves []Curve
	for _, offer := range offered.Detectors {
		set, err := workload.For(offer.Detector)
		if err != nil {
			return nil, err
		}
		targets, err := offeredTargets(offer, pattern, set.Steady)
		if err != nil {
			return nil, err
		}
		for _, target := range targets {
			curves = append(curves, Curve{Target: target})
		}
	}
	sizes := []int{shortest, 2 * shortest, 4 * shortest, 8 * shortest}
	for i := range curves {
		err := curves[i].measure(sizes, func(size int) (point Point, slow bool, err error) {
			run, err := Feed(ctx, program, curves[i].Target, Traffic{Events: size})
			return Point{size, run.perEvent(), run.Resident}, false, err
		})
		if err != nil {
			return nil, fmt.Errorf("measure the growth of %s on %s: %w", program, curves[i].Target, err)
		}
	}
	return curves, nil
}

// offeredTargets returns the detector's workloads of these names, in each reading that the port offers, as far as the
// pattern matches.
func offeredTargets(offer spec.Offer, pattern *regexp.Regexp, names ...string) ([]Target, error) {
	var targets []Target
	for _, reading := range offer.Readings {
		for _, name := range names {
			w, err := workload.Find(offer.Detector, name)
			if err != nil {
				return nil, err
			}
			if target := (Target{offer.Detector, reading, w}); pattern.MatchString(target.String()) {
				targets = append(targets, target)
			}
		}
	}
	return targets, nil
}

// measure takes all points of the curve, as often as there are rounds; of each point the best of all rounds counts. The
// first round ends the curve at a point that was slow to reach.
func (c *Curve) measure(sizes []int, take func(size int) (point Point, slow bool, err error)) error {
	for round := 0; round < rounds || round < rounds+doubts && c.Window == "" && c.Grows() != Nothing; round++ {
		for i, size := range sizes {
			point, slow, err := take(size)
			if err != nil {
				return err
			}
			if round == 0 {
				c.Points = append(c.Points, point)
			}
			best := &c.Points[i]
			best.PerEvent, best.Resident = min(best.PerEvent, point.PerEvent), min(best.Resident, point.Resident)
			if round == 0 && slow {
				sizes = sizes[:i+1]
				break
			}
		}
	}
	return nil
}

// WriteCurves prints curves of the same sizes: what an event costs at each size, the exponent of the fit, the memory,
// and what grows.
func WriteCurves(w io.Writer, curves []Curve, sizes []int) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "detector\tworkload\tsize\t")
	for _, size := range sizes {
		fmt.Fprintf(table, "%d\t", size)
	}
	fmt.Fprint(table, "exponent\tmemory\tgrows\t\n")
	for _, c := range curves {
		fmt.Fprintf(table, "%s\t%s\t%s\t", c.Name(), c.Target.Workload.Name, c.axis())
		for i := range sizes {
			if i < len(c.Points) {
				fmt.Fprintf(table, "%d ns\t", c.Points[i].PerEvent.Nanoseconds())
			} else {
				fmt.Fprint(table, "too slow\t")
			}
		}
		fmt.Fprintf(table, "%.2f\t%+.1f MB\t%s\t\n", c.Exponent(), float64(c.Memory())/(1<<20), c.Grows())
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return nil
}
