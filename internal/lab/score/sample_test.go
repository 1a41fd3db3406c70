package score

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestASampleHasRunsOfEachGroup(t *testing.T) {
	t.Parallel()
	corpora, contenders := opened(t, Choice{Detectors: []string{"history"}}, []string{study})
	report, err := Score(t.Context(), corpora, contenders, nil)
	if err != nil {
		t.Fatal(err)
	}
	alarm := map[string]bool{}
	for _, r := range report.Runs {
		alarm[r.Run.Place] = r.Alarms[0] != nil
	}
	draw := func(most int, seed uint64) []Drawn {
		corpora, contenders := opened(t, Choice{Detectors: []string{"history"}}, []string{study})
		drawn, err := Sample(t.Context(), corpora[0], contenders, most, seed)
		if err != nil {
			t.Fatal(err)
		}
		return drawn
	}
	groups, weight := map[bool]int{}, 0.0
	for _, d := range draw(4, 1) {
		groups[alarm[d.Run]]++
		weight += d.Weight
	}
	if want := map[bool]int{true: 2, false: 2}; !cmp.Equal(groups, want) || weight != float64(len(alarm)) {
		t.Errorf("groups %v, weights %v of %d runs", groups, weight, len(alarm))
	}
	if cmp.Equal(draw(4, 1), draw(4, 2)) || !cmp.Equal(draw(4, 1), draw(4, 1)) {
		t.Error("the seed does not say which are drawn")
	}
	if all := draw(1000, 1); len(all) != len(alarm) {
		t.Errorf("drawn %d of %d", len(all), len(alarm))
	}
}

func TestSmallGroupsLeaveTheirShareToLargerOnes(t *testing.T) {
	t.Parallel()
	runs := strings.Split("abcdefghij", "")
	groups := map[string][]string{"one": runs[:1], "four": runs[:4], "ten": runs}
	for most, want := range map[int]map[string]int{
		3:   {"one": 1, "four": 1, "ten": 1},
		9:   {"one": 1, "four": 4, "ten": 4},
		100: {"one": 1, "four": 4, "ten": 10},
	} {
		if diff := cmp.Diff(want, shares(groups, most)); diff != "" {
			t.Errorf("%d: %s", most, diff)
		}
	}
}

// TestASampleLeavesNoGroupOut: its runs could not stand for all runs of the corpus.
func TestASampleLeavesNoGroupOut(t *testing.T) {
	t.Parallel()
	corpora, contenders := opened(t, Choice{Detectors: []string{"history"}}, []string{study})
	drawn, err := Sample(t.Context(), corpora[0], contenders, 1, 1)
	if want := (SmallSample{Most: 1, Groups: 2}); !errors.Is(err, want) {
		t.Errorf("drawn %v, error %v; want %v", drawn, err, want)
	}
}
