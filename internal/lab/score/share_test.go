package score

import (
	"fmt"
	"math"
	"testing"
)

// drawnShare counts runs, each of which stands for as many as weight says; task names what a run worked at.
func drawnShare(parts []bool, weight func(i int) float64, task func(i int) string) Share {
	var s Share
	for i, part := range parts {
		s.add(&Run{Name: fmt.Sprint(i), Weight: weight(i), Task: task(i)}, part)
	}
	return s
}

func one(int) float64 { return 1 }

func ownTask(i int) string { return fmt.Sprint(i) }

func TestADrawnRunCountsForAsManyAsItStandsFor(t *testing.T) {
	t.Parallel()
	weights := []float64{10, 1, 1}
	s := drawnShare([]bool{true, false, true}, func(i int) float64 { return weights[i] }, ownTask)
	if rate, ok := s.Rate(); !ok || math.Abs(rate-11.0/12) > 1e-9 {
		t.Errorf("the rate is %g, want 11 of 12", rate)
	}
	if s.Part != 2 || s.Of != 3 {
		t.Errorf("%d of %d runs, want 2 of 3", s.Part, s.Of)
	}
}

// TestRunsOfOneTaskSayLess: 40 runs of four tasks, of which all or none are part, are worth four runs.
func TestRunsOfOneTaskSayLess(t *testing.T) {
	t.Parallel()
	parts := make([]bool, 40)
	for i := range parts {
		parts[i] = i%4 == 0
	}
	width := func(task func(int) string) float64 {
		low, high := drawnShare(parts, one, task).Interval()
		if low > 0.25 || high < 0.25 {
			t.Errorf("%g to %g does not hold the share", low, high)
		}
		return high - low
	}
	alone, together := width(ownTask), width(func(i int) string { return fmt.Sprint(i % 4) })
	if together < 2*alone {
		t.Errorf("the interval is %g wide with tasks and %g without; want it twice as wide at least", together, alone)
	}
	low, high := wilson(10, 40)
	if math.Abs(alone-(high-low)) > 0.05 {
		t.Errorf("40 runs of their own: the bootstrap is %g wide, Wilson's %g", alone, high-low)
	}
}

// TestNoAlarmAtAllIsNotCertainty: a bootstrap of runs without any alarm would say 0 to 0.
func TestNoAlarmAtAllIsNotCertainty(t *testing.T) {
	t.Parallel()
	none, all := make([]bool, 30), make([]bool, 30)
	for i := range all {
		all[i] = true
	}
	_, want := wilson(0, 30)
	if low, high := drawnShare(none, one, ownTask).Interval(); low > 1e-9 || math.Abs(high-want) > 1e-9 {
		t.Errorf("0 of 30: %g to %g, want 0 to %g", low, high, want)
	}
	if low, high := drawnShare(all, one, ownTask).Interval(); math.Abs(low-(1-want)) > 1e-9 || high < 1-1e-9 {
		t.Errorf("30 of 30: %g to %g, want %g to 1", low, high, 1-want)
	}
	rare := make([]bool, 30)
	rare[7] = true
	if _, high := drawnShare(rare, one, ownTask).Interval(); high < want {
		t.Errorf("1 of 30: up to %g, less than %g for none", high, want)
	}
	uneven := drawnShare(none, func(i int) float64 { return float64(1 + 99*(i/29)) }, ownTask)
	if _, high := uneven.Interval(); high < 2*want {
		t.Errorf("one run stands for most: up to %g, want much more than %g", high, want)
	}
}
