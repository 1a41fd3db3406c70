package pipe

import (
	"context"
	"fmt"
	"html"
	"io"
	"math"
	"regexp"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/loopstone/loopstone/internal/suite/bench/workload"
	"github.com/loopstone/loopstone/spec"
)

const (
	// mostExponent is the largest exponent that still passes for a cost that does not grow: caches that fill and heaps
	// that are collected make a few percent, and a list that is searched makes 2.
	mostExponent = 1.25
	// mostMemory is by how many bytes the longest trace may leave more resident memory behind than the shortest. A
	// runtime with a garbage collector takes what it needs not give back; a trace that is kept whole takes more.
	mostMemory = 16 << 20
	// rounds is how often each length is measured. The fastest counts: whatever disturbs a run makes it slower.
	rounds = 3
	// doubts is how many rounds more are made while a curve seems to grow: a busy machine must not look like a list.
	doubts = 3
)

// Curve is what one detector of a port costs as its trace grows longer (PR-36). A power law is fitted to it: an exponent
// of 1 means that each event costs the same, one of 2 that a detector counts anew what it has seen.
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

// Exponent returns k of the law that the time for n events is proportional to nᵏ: the slope of the least-squares line
// through the logarithms.
func (c Curve) Exponent() float64 {
	var events, times []float64
	for _, p := range c.Points {
		events, times = append(events, float64(p.Events)), append(times, float64(p.Spent))
	}
	return exponent(events, times)
}

// exponent returns k of the law y = c·xᵏ that fits best.
func exponent(xs, ys []float64) float64 {
	var sumX, sumY, sumXX, sumXY float64
	for i := range xs {
		x, y := math.Log(xs[i]), math.Log(ys[i])
		sumX, sumY, sumXX, sumXY = sumX+x, sumY+y, sumXX+x*x, sumXY+x*y
	}
	n := float64(len(xs))
	return (n*sumXY - sumX*sumY) / (n*sumXX - sumX*sumX)
}

// Memory returns by how many bytes the longest trace left more behind than the shortest.
func (c Curve) Memory() int64 { return c.Points[len(c.Points)-1].Resident - c.Points[0].Resident }

// Grows returns what grows with the trace, in a word; nothing where the clause is kept.
func (c Curve) Grows() string {
	time, memory := c.Exponent() > mostExponent, c.Memory() > mostMemory
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

// MeasureGrowth feeds the steady workload of every detector and reading that the port offers, and whose target the
// pattern matches, to fresh processes: shortest, 2, 4 and 8 times as many events.
func MeasureGrowth(ctx context.Context, program Program, offered spec.Description, pattern *regexp.Regexp, shortest int) ([]Curve, error) {
	var curves []Curve
	for _, offer := range offered.Detectors {
		set, err := workload.For(offer.Detector)
		if err != nil {
			return nil, err
		}
		w, err := workload.Find(offer.Detector, set.Steady)
		if err != nil {
			return nil, err
		}
		for _, reading := range offer.Readings {
			target := Target{Detector: offer.Detector, Reading: reading, Workload: w}
			if !pattern.MatchString(target.String()) {
				continue
			}
			curve, err := measureCurve(ctx, program, target, shortest)
			if err != nil {
				return nil, fmt.Errorf("measure the growth of %s on %s: %w", program, target, err)
			}
			curves = append(curves, curve)
		}
	}
	return curves, nil
}

func measureCurve(ctx context.Context, program Program, target Target, shortest int) (Curve, error) {
	curve := Curve{Detector: target.Detector, Reading: target.Reading, Workload: target.Workload.Name, Points: make([]Point, 4)}
	for round := 0; round < rounds || round < rounds+doubts && curve.Grows() != ""; round++ {
		for i := range curve.Points {
			run, err := Feed(ctx, program, target, Traffic{Events: shortest << i})
			if err != nil {
				return curve, err
			}
			curve.Points[i].improve(run)
		}
	}
	return curve, nil
}

// improve takes from another run of the same length what is better there.
func (p *Point) improve(run Feeding) {
	if p.Events == 0 {
		*p = Point(run)
	}
	p.Spent = min(p.Spent, run.Spent)
	p.Resident = min(p.Resident, run.Resident)
}

// WriteGrowth prints the curves: what an event costs on average in traces of each length, the exponent of the fit, the
// memory, and what grows.
func WriteGrowth(w io.Writer, curves []Curve) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "detector\tworkload\t")
	for _, p := range curves[0].Points {
		fmt.Fprintf(table, "%d events\t", p.Events)
	}
	fmt.Fprint(table, "exponent\tmemory\tgrows\t\n")
	for _, c := range curves {
		fmt.Fprintf(table, "%s\t%s\t", c.Name(), c.Workload)
		for _, p := range c.Points {
			fmt.Fprintf(table, "%d ns\t", p.PerEvent().Nanoseconds())
		}
		grows := c.Grows()
		if grows == "" {
			grows = "nothing"
		}
		fmt.Fprintf(table, "%.2f\t%+.1f MB\t%s\t\n", c.Exponent(), float64(c.Memory())/(1<<20), grows)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return nil
}

// Places of the drawing, in pixels.
const left, right, top, bottom = 70, 570, 40, 390

// colours of the curves, told apart by people who see colours differently (Okabe and Ito).
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"}

// dashes tell those apart that share a colour.
var dashes = []string{"none", "5 3", "1 3"}

// WriteSVG draws what an event costs against the length of the trace, both on logarithmic scales: a curve that lies
// flat does not grow.
func WriteSVG(w io.Writer, title string, curves []Curve) error {
	points, fastest, slowest := curves[0].Points, math.Inf(1), 0.0
	for _, c := range curves {
		for _, p := range c.Points {
			fastest, slowest = min(fastest, p.decade()), max(slowest, p.decade())
		}
	}
	fastest, slowest = math.Floor(fastest), math.Floor(slowest)+1
	x := func(i int) int { return left + (right-left)*i/(len(points)-1) }
	y := func(decade float64) float64 { return bottom - (bottom-top)*(decade-fastest)/(slowest-fastest) }
	var text strings.Builder
	fmt.Fprintf(&text, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 430" font-family="sans-serif"
font-size="12">
<rect width="100%%" height="100%%" fill="#fff"/><text x="%d" y="24">%s: time per event, by events observed</text>
`, left, html.EscapeString(title))
	for d := fastest; d <= slowest; d++ {
		fmt.Fprintf(&text, `<path d="M%d %.1fH%d" stroke="#ddd"/><text x="5" y="%.1f">%s</text>`+"\n",
			left, y(d), right, y(d)+4, time.Duration(math.Pow(10, d)))
	}
	for i, p := range points {
		fmt.Fprintf(&text, `<text x="%d" y="%d" text-anchor="middle">%d</text>`+"\n", x(i), bottom+20, p.Events)
	}
	for i, c := range curves {
		fmt.Fprintf(&text, `<g fill="none" stroke="%s" stroke-dasharray="%s"><path d="`,
			colours[i%len(colours)], dashes[i/len(colours)%len(dashes)])
		for j, p := range c.Points {
			fmt.Fprintf(&text, "%s%d %.1f", "ML"[min(j, 1):][:1], x(j), y(p.decade()))
		}
		fmt.Fprintf(&text, `M%d %dh14"/></g><text x="%d" y="%d">%s n^%.2f</text>`+"\n",
			right+10, top+18*i, right+28, top+4+18*i, html.EscapeString(c.Name()), c.Exponent())
	}
	_, err := io.WriteString(w, text.String()+"</svg>\n")
	return err
}

// decade is the logarithm of what an event of the trace cost, in nanoseconds.
func (p Point) decade() float64 { return math.Log10(max(float64(p.PerEvent()), 1)) }
