package score

import (
	"math"
	"strings"
	"testing"
)

// TestCostsAreThoseOfSteps: of two runs, one loops for ten steps and is stopped after three, the other is healthy for
// ten steps and stopped after three, too.
func TestCostsAreThoseOfSteps(t *testing.T) {
	t.Parallel()
	folder, numbers := callsInARow(t, 10, 11), []int{10, 11}
	corpora, contenders := opened(t, Choice{Detectors: []string{"@deepagents"}}, []string{folder})
	if err := corpora[0].Label(looping(t, numbers, 10)); err != nil {
		t.Fatal(err)
	}
	report, err := Score(t.Context(), corpora, contenders, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		prices        Prices
		without, with float64 // of 21 steps
		first         string
	}{
		{Prices{Looping: 1, Lost: 0}, 10, 3, "@deepagents"},
		{Prices{Looping: 1, Lost: 1}, 10, 3 + 8, NoDetector},
		{Prices{Looping: 5, Lost: 1}, 50, 15 + 8, "@deepagents"},
	} {
		costs, err := report.Costs(tt.prices)
		if err != nil {
			t.Fatal(err)
		}
		if costs[0].Name != tt.first {
			t.Errorf("%+v: the cheapest is %s, want %s", tt.prices, costs[0].Name, tt.first)
		}
		for _, c := range costs {
			want := 100 * tt.with / 21
			if c.Name == NoDetector {
				want = 100 * tt.without / 21
			}
			if math.Abs(c.Cost-want) > 1e-9 {
				t.Errorf("%+v: %s costs %g, want %g", tt.prices, c.Name, c.Cost, want)
			}
		}
	}
}

func TestCostsNeedLabels(t *testing.T) {
	t.Parallel()
	onlyOutcomes := &Report{Corpora: []*Corpus{{Counts: Counts{Runs: 2, Solved: 1, Unsolved: 1}}}}
	if _, err := onlyOutcomes.Costs(Prices{1, 1}); err == nil || !strings.Contains(err.Error(), "loopstone label") {
		t.Errorf("got %v", err)
	}
}
