package pipe

import (
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/loopstone/loopstone/internal/suite/bench/workload"
	"github.com/loopstone/loopstone/reference/fast/composed"
	"github.com/loopstone/loopstone/spec"
)

// windowLaw returns a curve of so many sizes on which an event takes n^k nanoseconds in a window of n.
func windowLaw(k float64, sizes int) Curve {
	target := Target{spec.History, spec.Code, workload.Workload{Name: "tight-loop"}}
	c := Curve{Target: target, Window: "history_size"}
	for _, size := range Windows[:sizes] {
		spent := time.Duration(1000 * math.Pow(float64(size), k))
		c.Points = append(c.Points, Point{Size: size, PerEvent: spent})
	}
	return c
}

func TestGrowthWithTheWindowIsTold(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason string
		curve  Curve
		want   string
	}{
		{"each event costs the same", windowLaw(0, 4), "nothing"},
		{"caches fill", windowLaw(0.15, 4), "nothing"},
		{"each event looks through the window", windowLaw(1, 4), "time"},
		{"each event compares all pairs in the window", windowLaw(2, 2), "time, faster than linearly"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			if got := tt.curve.Grows(); got != tt.want {
				t.Errorf("exponent %.2f: grows %q, want %q", tt.curve.Exponent(), got, tt.want)
			}
		})
	}
}

func TestTableOfWindowsSaysWhatWasTooSlow(t *testing.T) {
	t.Parallel()
	var table strings.Builder
	if err := WriteCurves(&table, []Curve{windowLaw(0, 4), windowLaw(2, 2)}, Windows); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(table.String()), "\n")
	if len(lines) != 3 || strings.Contains(lines[1], "too slow") || strings.Count(lines[2], "too slow") != 2 {
		t.Errorf("want a head, a full row and one without its last two windows:\n%s", &table)
	}
}

// TestTheWindowOfARuleIsMeasured shows that composed, whose windows lie in its rules, is measured with windows of each
// size.
func TestTheWindowOfARuleIsMeasured(t *testing.T) {
	t.Parallel()
	offered := spec.Description{Detectors: []spec.Offer{{Detector: spec.Composed, Readings: []spec.Reading{spec.Code}}}}
	curves, err := windowCurves(offered, regexp.MustCompile(""))
	if err != nil || len(curves) != 2 {
		t.Fatalf("got %d curves and %v, want 2", len(curves), err)
	}
	for _, size := range Windows {
		config := curves[0].config(size)
		if last, _ := config.Get("rules").Items()[0].Get("pattern").Get("last").Int(); last != size {
			t.Errorf("the window holds %d items, want %d: %s", last, size, config)
		}
		if _, err := composed.Implementation().New(spec.Code, config); err != nil {
			t.Errorf("%s: %v", config, err)
		}
	}
}
