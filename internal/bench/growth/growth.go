package growth

import (
	"context"
	"fmt"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/bench/pipe"
	"github.com/loopstone/loopstone/internal/bench/workload"
	"github.com/loopstone/loopstone/spec"
)

const (
	// MostExponent is the largest exponent that still passes for a cost that does not grow: caches that fill and heaps
	// that are collected make a few percent, and a list that is searched makes 2.
	MostExponent = 1.25
	// MostMemory is by how many bytes the longest trace may leave more resident memory behind than the shortest. A
	// runtime with a garbage collector takes what it needs not give back; a trace that is kept whole takes more.
	MostMemory = 16 << 20
	// rounds is how often each length is measured. The fastest counts: whatever disturbs a run makes it slower.
	rounds = 3
	// doubts is how many rounds more are made while a curve seems to grow: a busy machine must not look like a list.
	doubts = 3
)

// Curve is what one detector of a port costs as its trace grows longer.
type Curve struct {
	Detector spec.DetectorID
	Reading  spec.Reading
	Workload string
	Points   []Point
}

// Point is a trace of so many events.
type Point struct {
	Events   int
	Spent    time.Duration // on all of them
	Resident int64         // bytes of the process at the end; 0 where unknown
}

// PerEvent is what an event of the trace costs on average.
func (p Point) PerEvent() time.Duration { return p.Spent / time.Duration(p.Events) }

// Name returns the detector and its reading.
func (c Curve) Name() string { return fmt.Sprintf("%s (%s)", c.Detector, c.Reading) }

// Exponent returns k of the law that the time for n events is proportional to nᵏ.
func (c Curve) Exponent() float64 {
	points := make([]point, len(c.Points))
	for i, p := range c.Points {
		points[i] = point{float64(p.Events), float64(p.Spent)}
	}
	return exponent(points)
}

// Memory returns by how many bytes the longest trace left more behind than the shortest.
func (c Curve) Memory() int64 { return c.Points[len(c.Points)-1].Resident - c.Points[0].Resident }

// Grows returns what grows with the trace, in a word; nothing where the clause is kept.
func (c Curve) Grows() string {
	time, memory := c.Exponent() > MostExponent, c.Memory() > MostMemory
	switch {
	case time && memory:
		return "time and memory"
	case time:
		return "time"
	case memory:
		return "memory"
	default:
		return ""
	}
}

// steady is the workload by which a detector's growth is judged: events that get on with the work, so that nothing is
// counted without an end for good reasons. A swarm is given one fingerprint: with many, it takes long until each has as
// much evidence as a verdict may name.
func steady(id spec.DetectorID) (workload.Workload, error) {
	switch id {
	case spec.Swarm:
		return workload.Find(id, "fingerprints-1")
	case spec.Signature, spec.Ralph, spec.Guards:
		return workload.Find(id, "short")
	default:
		return workload.Find(id, "healthy")
	}
}

// Measure returns a curve of every detector and reading that the port offers: shortest, 2, 4 and 8 times as many
// events.
func Measure(ctx context.Context, command stdio.Command, offered spec.Description, shortest int) ([]Curve, error) {
	var curves []Curve
	for _, offer := range offered.Detectors {
		w, err := steady(offer.Detector)
		if err != nil {
			return nil, err
		}
		for _, reading := range offer.Readings {
			target := pipe.Target{Detector: offer.Detector, Reading: reading, Workload: w}
			curve, err := measureCurve(ctx, command, target, shortest)
			if err != nil {
				return nil, fmt.Errorf("measure the growth of %s on %s: %w", command, target, err)
			}
			curves = append(curves, curve)
		}
	}
	return curves, nil
}

func measureCurve(ctx context.Context, command stdio.Command, target pipe.Target, shortest int) (Curve, error) {
	curve := Curve{Detector: target.Detector, Reading: target.Reading, Workload: target.Workload.Name, Points: make([]Point, 4)}
	for round := 0; round < rounds || round < rounds+doubts && curve.Grows() != ""; round++ {
		for i := range curve.Points {
			run, err := pipe.Feed(ctx, command, target, pipe.Load{Events: shortest << i})
			if err != nil {
				return curve, err
			}
			curve.Points[i].improve(run)
		}
	}
	return curve, nil
}

// improve takes from another run of the same length what is better there.
func (p *Point) improve(run pipe.Feeding) {
	if p.Events == 0 {
		*p = Point(run)
	}
	p.Spent = min(p.Spent, run.Spent)
	p.Resident = min(p.Resident, run.Resident)
}
