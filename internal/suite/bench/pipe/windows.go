package pipe

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"text/tabwriter"
	"time"

	"github.com/loopstone/loopstone/internal/suite/bench/workload"
	"github.com/loopstone/loopstone/spec"
)

// windows are the sizes that are measured.
var windows = []int{20, 200, 2_000, 20_000}

const (
	// longestFill is how long it may take to fill a window for the next one to be measured, too: where every event is
	// compared with all of its window, that takes a hundred times as long.
	longestFill = time.Second
	// flatExponent is the largest exponent that still passes for a cost that does not depend on the window: of a
	// thousand times the memory, more lies outside of the processor's caches.
	flatExponent = 0.25
)

// WindowCurve is what one detector of a port costs as its window grows larger. No clause forbids it to grow; a law is
// fitted as to a [Curve].
type WindowCurve struct {
	Target  Target
	Setting string // that holds the window's size
	Points  []WindowPoint
}

// WindowPoint is a full window of one size.
type WindowPoint struct {
	Size     int
	PerEvent time.Duration
}

// Exponent returns k of the law that the time per event is proportional to nᵏ for a window of n.
func (c WindowCurve) Exponent() float64 {
	var sizes, times []float64
	for _, p := range c.Points {
		sizes, times = append(sizes, float64(p.Size)), append(times, float64(p.PerEvent))
	}
	return exponent(sizes, times)
}

// Grows says in a word how the cost grows with the window.
func (c WindowCurve) Grows() string {
	switch k := c.Exponent(); {
	case k <= flatExponent:
		return "no"
	case k <= mostExponent:
		return "linearly"
	default:
		return "faster than linearly"
	}
}

// MeasureWindows measures every detector and reading of the port that has a window and whose target the pattern
// matches: in its everyday and in a loop, in fresh processes, each stream about as long as the limit says.
func MeasureWindows(ctx context.Context, program Program, offered spec.Description, pattern *regexp.Regexp, limit time.Duration) ([]WindowCurve, error) {
	curves, err := windowCurves(offered, pattern)
	if err != nil {
		return nil, err
	}
	for i := range curves {
		for round := range rounds {
			if err := curves[i].measure(ctx, program, round, limit); err != nil {
				return nil, fmt.Errorf("measure the windows of %s on %s: %w", program, curves[i].Target, err)
			}
		}
	}
	return curves, nil
}

// windowCurves returns all that can be measured, without points.
func windowCurves(offered spec.Description, pattern *regexp.Regexp) ([]WindowCurve, error) {
	var curves []WindowCurve
	for _, offer := range offered.Detectors {
		set, err := workload.For(offer.Detector)
		if err != nil {
			return nil, err
		}
		setting := windowOf(offer)
		if setting == "" {
			continue
		}
		for _, reading := range offer.Readings {
			for _, name := range []string{set.Everyday, "tight-loop"} {
				w, err := workload.Find(offer.Detector, name)
				if err != nil {
					return nil, err
				}
				if target := (Target{offer.Detector, reading, w}); pattern.MatchString(target.String()) {
					target.Workload.Config = offer.Config(reading, spec.ObjectValue())
					curves = append(curves, WindowCurve{Target: target, Setting: setting})
				}
			}
		}
	}
	return curves, nil
}

// windowOf returns the setting of a detector's window; nothing where the port has none. That of composed is a rule's.
func windowOf(offer spec.Offer) string {
	if offer.Detector == spec.Composed && offer.HasSetting("rules") {
		return "last"
	}
	definition, _ := spec.DefinitionOf(offer.Detector)
	for _, p := range definition.Settings {
		if p.Use == spec.Window && offer.HasSetting(p.Name) {
			return p.Name
		}
	}
	return ""
}

// measure takes one round of all windows, the fastest of which counts. The first round decides how far it goes.
func (c *WindowCurve) measure(ctx context.Context, program Program, round int, limit time.Duration) error {
	for i, size := range windows {
		if round > 0 && i == len(c.Points) {
			return nil
		}
		filling, perEvent, err := c.throughWindow(ctx, program, size, limit)
		if err != nil {
			return err
		}
		if round == 0 {
			c.Points = append(c.Points, WindowPoint{size, perEvent})
		}
		c.Points[i].PerEvent = min(c.Points[i].PerEvent, perEvent)
		if round == 0 && filling > longestFill {
			return nil
		}
	}
	return nil
}

// throughWindow fills a window of that size and then measures a stream.
func (c *WindowCurve) throughWindow(ctx context.Context, program Program, size int, limit time.Duration) (filling, perEvent time.Duration, err error) {
	child, err := startChild(ctx, program)
	if err != nil {
		return 0, 0, err
	}
	defer child.close()
	w := c.Target.Workload
	w.Config = c.config(size)
	s, err := child.open(c.Target.Detector, c.Target.Reading, w)
	if err != nil {
		return 0, 0, err
	}
	s.prepare(w.Ring(), 0)
	filled, err := s.bear(c.events(size))
	if err != nil {
		return 0, 0, err
	}
	events, spent, err := s.streamFor(limit)
	if err != nil {
		return 0, 0, err
	}
	return filled.Spent, spent / time.Duration(events), nil
}

// composedRules has a window of calls, and the pattern that does most for it.
const composedRules = `{"rules":[{"pattern":{"sort":"among","counts":"highest","last":%d}}]}`

// config returns the configuration with a window of that size.
func (c *WindowCurve) config(size int) spec.Value {
	if c.Target.Detector == spec.Composed {
		return spec.MustParse(fmt.Sprintf(composedRules, size))
	}
	return c.Target.Workload.Config.With(c.Setting, spec.IntValue(size))
}

// events returns how many events fill a window of that size: behind each call of composed stands its result.
func (c *WindowCurve) events(size int) int {
	if c.Target.Detector == spec.Composed {
		return 2 * size
	}
	return size
}

// WriteWindows prints the curves: what an event costs in a full window of each size, the exponent of the fit, and
// whether the cost grows.
func WriteWindows(w io.Writer, curves []WindowCurve) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "detector\tworkload\tsetting\t")
	for _, size := range windows {
		fmt.Fprintf(table, "%d\t", size)
	}
	fmt.Fprint(table, "exponent\tgrows\t\n")
	for _, c := range curves {
		fmt.Fprintf(table, "%s (%s)\t%s\t%s\t", c.Target.Detector, c.Target.Reading, c.Target.Workload.Name, c.Setting)
		for i := range windows {
			if i < len(c.Points) {
				fmt.Fprintf(table, "%d ns\t", c.Points[i].PerEvent.Nanoseconds())
			} else {
				fmt.Fprint(table, "too slow\t")
			}
		}
		fmt.Fprintf(table, "%.2f\t%s\t\n", c.Exponent(), c.Grows())
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return nil
}
