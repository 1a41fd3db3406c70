package score

import (
	"errors"
	"math"
	"testing"

	"github.com/loopstone/loopstone/internal/lab/alarm"
	"github.com/loopstone/loopstone/internal/lab/label"
)

// TestCostsAreThoseOfSteps: of two runs, one loops for ten steps, the other is healthy for eleven. The detector stops both
// at the fourth step.
func TestCostsAreThoseOfSteps(t *testing.T) {
	t.Parallel()
	folder, numbers := callsInARow(t, 10, 11), []int{10, 11}
	corpora, contenders := opened(t, Choice{Detectors: []string{"@roo"}}, []string{folder})
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
		{Prices{Looping: 1, Lost: 0}, 7, 1, "@roo"},
		{Prices{Looping: 1, Lost: 1}, 7, 1 + 7, NoDetector},
		{Prices{Looping: 5, Lost: 1}, 35, 5 + 7, "@roo"},
		{Prices{Looping: 0, Lost: 0}, 0, 0, NoDetector},
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

func TestStepsAreWastedOnceTheLoopCanBeKnown(t *testing.T) {
	t.Parallel()
	marked := []label.Span{{First: 5, Last: 10, Kind: label.Same}}
	const never = -1
	for _, tt := range []struct {
		reason       string
		run          Run
		alarm        int // the step, from 0
		wasted, lost float64
	}{
		{"the third step of the loop is the seventh: three steps follow", Run{Loop: Yes, Spans: marked}, never, 30, 0},
		{"an alarm at the third step prevents all that follow", Run{Loop: Yes, Spans: marked}, 6, 0, 0},
		{"an alarm two steps later", Run{Loop: Yes, Spans: marked}, 8, 20, 0},
		{"an alarm before the loop saves no more than one in time", Run{Loop: Yes, Spans: marked}, 1, 0, 0},
		{"nobody marked the loop, so it is all of the run", Run{Loop: Yes}, 3, 40, 0},
		{"a healthy run without an alarm", Run{Loop: No}, never, 0, 0},
		{"a healthy run that is stopped at its fourth step", Run{Loop: No}, 3, 0, 60},
		{"a run that nobody labelled", Run{}, 3, 0, 0},
	} {
		var response Response
		if tt.alarm != never {
			response.Alarm = &alarm.Alarm{At: tt.alarm}
		}
		var row Row
		row.add(&tt.run, 10, response)
		c := row.cost(Prices{1, 1})
		if c.WastedSteps != tt.wasted || c.LostSteps != tt.lost || c.Cost != tt.wasted+tt.lost {
			t.Errorf("%s: %g wasted and %g lost cost %g, want %g and %g",
				tt.reason, c.WastedSteps, c.LostSteps, c.Cost, tt.wasted, tt.lost)
		}
	}
}

// TestCostsWeighRuns: a looping run that stands for three others has three quarters of the steps.
func TestCostsWeighRuns(t *testing.T) {
	t.Parallel()
	var row Row
	row.add(&Run{Name: "a", Loop: Yes, Weight: 3}, 10, Response{})
	row.add(&Run{Name: "b", Loop: No, Weight: 1}, 10, Response{Alarm: &alarm.Alarm{At: 4}})
	if c := row.cost(Prices{Looping: 1, Lost: 10}); c.WastedSteps != 75 || c.LostSteps != 12.5 || c.Cost != 200 {
		t.Errorf("got %g wasted, %g lost, and a cost of %g", c.WastedSteps, c.LostSteps, c.Cost)
	}
}

func TestCostsNeedLabels(t *testing.T) {
	t.Parallel()
	onlyOutcomes := &Report{Corpora: []*Corpus{{Counts: Counts{Runs: 2, Solved: 1, Unsolved: 1}}}}
	if _, err := onlyOutcomes.Costs(Prices{1, 1}); !errors.Is(err, ErrUnlabelled) {
		t.Errorf("got %v", err)
	}
}
