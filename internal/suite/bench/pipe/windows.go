package pipe

import (
	"context"
	"fmt"
	"regexp"
	"time"

	"github.com/loopstone/loopstone/internal/suite/bench/workload"
	"github.com/loopstone/loopstone/spec"
)

// Windows are the sizes of windows that are measured.
var Windows = []int{20, 200, 2_000, 20_000}

// longestFill is how long filling a window may take for the next one to be measured, too: where every event is compared
// with all of its window, the next takes a hundred times as long.
const longestFill = time.Second

// MeasureWindows measures every detector and reading of the port that has a window and whose target the pattern
// matches: everyday work and a tight loop, each stream about as long as the limit says.
func MeasureWindows(
	ctx context.Context, program Program, offered spec.Description, pattern *regexp.Regexp, limit time.Duration,
) ([]Curve, error) {
	curves, err := windowCurves(offered, pattern)
	if err != nil {
		return nil, err
	}
	for i := range curves {
		err := curves[i].measure(Windows, func(size int) (point Point, slow bool, err error) {
			return throughWindow(ctx, program, curves[i], size, limit)
		})
		if err != nil {
			return nil, fmt.Errorf("measure the windows of %s on %s: %w", program, curves[i].Target, err)
		}
	}
	return curves, nil
}

// windowCurves returns all that can be measured, without points.
func windowCurves(offered spec.Description, pattern *regexp.Regexp) ([]Curve, error) {
	var curves []Curve
	for _, offer := range offered.Detectors {
		window := windowOf(offer)
		if window == "" {
			continue
		}
		set, err := workload.For(offer.Detector)
		if err != nil {
			return nil, err
		}
		targets, err := offeredTargets(offer, pattern, set.Everyday, "tight-loop")
		if err != nil {
			return nil, err
		}
		for _, target := range targets {
			target.Workload.Config = offer.Config(target.Reading, spec.ObjectValue())
			curves = append(curves, Curve{Target: target, Window: window})
		}
	}
	return curves, nil
}

// windowOf returns the setting of a detector's window; nothing where the port has none. A rule holds that of composed.
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

// throughWindow fills a window of that size and then measures a stream. It is slow where the filling took long.
func throughWindow(
	ctx context.Context, program Program, c Curve, size int, limit time.Duration,
) (point Point, slow bool, err error) {
	child, err := startChild(ctx, program)
	if err != nil {
		return Point{}, false, err
	}
	defer child.close()
	w := c.Target.Workload
	w.Config = c.config(size)
	s, err := child.open(c.Target.Detector, c.Target.Reading, w)
	if err != nil {
		return Point{}, false, err
	}
	s.prepare(w.Ring(), 0)
	filled, err := s.bear(c.filling(size))
	if err != nil {
		return Point{}, false, err
	}
	events, spent, err := s.streamFor(limit)
	if err != nil {
		return Point{}, false, err
	}
	return Point{size, spent / time.Duration(events), s.resident()}, filled.Spent > longestFill, nil
}

// composedRules has a window of calls, and the pattern that does most for it.
const composedRules = `{"rules":[{"pattern":{"sort":"among","counts":"highest","last":%d}}]}`

// config returns the configuration with a window of that size.
func (c Curve) config(size int) spec.Value {
	if c.Target.Detector == spec.Composed {
		return spec.MustParse(fmt.Sprintf(composedRules, size))
	}
	return c.Target.Workload.Config.With(c.Window, spec.IntValue(size))
}

// filling returns how many events fill a window of that size: composed has a result behind each call.
func (c Curve) filling(size int) int {
	if c.Target.Detector == spec.Composed {
		return 2 * size
	}
	return size
}
