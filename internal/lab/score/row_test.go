package score

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/conformance"
)

// TestWilson checks the bounds by their definition: the shares from which the one seen is just z deviations away.
func TestWilson(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 10_000).Draw(t, "n")
		s := Share{Part: rapid.IntRange(1, n-1).Draw(t, "part"), Of: n}
		seen, _ := s.Rate()
		low, high := s.Interval()
		for _, bound := range []float64{low, high} {
			deviation := math.Sqrt(bound * (1 - bound) / float64(n))
			if math.Abs(math.Abs(seen-bound)-1.959964*deviation) > 1e-6 {
				t.Fatalf("%v: %g is %g deviations from %g", s, bound, math.Abs(seen-bound)/deviation, seen)
			}
		}
	})
}

func TestWilsonAtTheEnds(t *testing.T) {
	t.Parallel()
	if low, high := (Share{}).Interval(); low != 0 || high != 1 {
		t.Errorf("nothing was counted, so all is possible: got %g to %g", low, high)
	}
	if low, high := (Share{Part: 0, Of: 55}).Interval(); low != 0 || math.Abs(high-z*z/(55+z*z)) > 1e-9 {
		t.Errorf("0 of 55: got %g to %g", low, high)
	}
	if low, high := (Share{Part: 10, Of: 10}).Interval(); math.Abs(low-10/(10+z*z)) > 1e-9 || high != 1 {
		t.Errorf("10 of 10: got %g to %g", low, high)
	}
}

func TestBars(t *testing.T) {
	t.Parallel()
	half, most := 0.5, 0.9
	for _, each := range []struct {
		bars   Bars
		row    Row
		want   conformance.Outcome
		line   string
		reason string
	}{
		{Bars{}, Row{}, conformance.Conformant, "", "no bar, nothing to reach"},
		{Bars{MinRecall: &half}, Row{Recall: Share{Part: 95, Of: 100}}, conformance.Conformant, "", "the whole interval is above"},
		{Bars{MinRecall: &half}, Row{Recall: Share{Part: 10, Of: 100}}, conformance.NotConformant, "must be at least 0.5", "below"},
		{Bars{MinRecall: &half}, Row{Recall: Share{Part: 7, Of: 10}}, conformance.NotDecided, "too few labels", "the bar lies within"},
		{Bars{MinRecall: &half}, Row{}, conformance.NotDecided, "too few labels", "no loop at all"},
		{Bars{MaxFalseAlarms: &half}, Row{FalseAlarms: Share{Part: 2, Of: 55}}, conformance.Conformant, "", "few"},
		{Bars{MaxFalseAlarms: &half}, Row{FalseAlarms: Share{Part: 54, Of: 55}}, conformance.NotConformant, "at most 0.5", "many"},
		{
			Bars{MinRecall: &most, MaxFalseAlarms: &half},
			Row{Recall: Share{Part: 7, Of: 10}, FalseAlarms: Share{Part: 54, Of: 55}},
			conformance.NotConformant, "at most 0.5", "one is missed, so what is not known of the other matters not",
		},
	} {
		got, lines := each.bars.Check([]Row{each.row})
		if got != each.want || !strings.Contains(strings.Join(lines, "\n"),
			each.line) || (each.line == "") != (len(lines) == 0) {
			t.Errorf("%s: want %v and %q, got %v and %q", each.reason, each.want, each.line, got, lines)
		}
	}
}
