package bench

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/loopstone/loopstone/spec"
)

// law returns a curve on which each of n events takes n^k microseconds and leaves bytes of memory.
func law(k float64, bytes int64) Curve {
	c := Curve{Target: Target{Detector: spec.History, Reading: spec.Code, Workload: Workload{Name: "healthy"}}}
	for n := 10_000; n <= 80_000; n *= 2 {
		spent := time.Duration(1000 * math.Pow(float64(n), k))
		c.Points = append(c.Points, Point{Events: n, PerEvent: spent, Resident: 10<<20 + bytes*int64(n)})
	}
	return c
}

func TestGrowthIsTold(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason string
		curve  Curve
		want   string
	}{
		{"each event costs the same", law(0, 0), "nothing"},
		{"caches fill", law(0.1, 100), "nothing"},
		{"each event is compared with all before it", law(1, 0), "time"},
		{"the whole trace is kept", law(0, 500), "memory"},
		{"the whole trace is kept and searched", law(1, 500), "time and memory"},
		{"starting up costs something once", law(-0.1, 0), "nothing"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			if got := tt.curve.Grows(); got != tt.want {
				t.Errorf("%q grows with exponent %.2f and %d bytes, want %q", got, tt.curve.Exponent(), tt.curve.Memory(), tt.want)
			}
		})
	}
}

func TestDrawingIsXMLThatNamesEveryCurve(t *testing.T) {
	t.Parallel()
	var svg strings.Builder
	if err := WriteSVG(&svg, `a port <of> "mine"`, []Curve{law(0, 0), law(1, 0)}); err != nil {
		t.Fatal(err)
	}
	for decoder := xml.NewDecoder(strings.NewReader(svg.String())); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, &svg)
		}
	}
	for _, want := range []string{"n^0.00", "n^1.00", "80000"} {
		if !strings.Contains(svg.String(), want) {
			t.Errorf("no %q in\n%s", want, &svg)
		}
	}
}
