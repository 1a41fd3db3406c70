package fuzz

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// campaignOf is a campaign of so many workers, whose trials have a few faults to find.
func campaignOf(workers int) *campaign {
	r := newCampaign(Campaign{})
	for range workers {
		r.pairs = append(r.pairs, Pair{reference.Port(), reference.Port()})
	}
	for _, letter := range strings.Split("a b c d e f g h", " ") {
		r.ask(checkOfCalls(AgreementID, func(s Subject) bool { return calls(s, letter) }),
			checkOfCalls("none", func(Subject) bool { return false }))
	}
	return r
}

// ask adds a trial of each check.
func (r *campaign) ask(checks ...Check) {
	of := &target{}
	for _, pair := range r.pairs {
		of.fuzzers = append(of.fuzzers, fuzzerOf(pair.Port, 1, checks...))
	}
	for place := range checks {
		r.trials = append(r.trials, newTrial(cases.Case{}, of, place))
	}
}

func TestARoundBringsTheSameHoweverManyWorkersThereAre(t *testing.T) {
	t.Parallel()
	var want []string
	for _, workers := range []int{1, 3, 8} {
		r := campaignOf(workers)
		if err := r.round(t.Context(), t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range r.found {
			got = append(got, f.Key()+" "+f.Case.ID)
		}
		if want == nil {
			want = got
		}
		if len(got) != 8 || !slices.Equal(got, want) {
			t.Errorf("%d workers found\n%s\nwant the eight of one worker:\n%s", workers, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestACheckThatFindsNothingNewIsLeftOut(t *testing.T) {
	t.Parallel()
	r := campaignOf(2)
	all := len(r.left())
	for round := range uint64(1 + enough) {
		if got := len(r.left()); got != all {
			t.Fatalf("round %d has %d trials, want all %d", round, got, all)
		}
		if err := r.round(t.Context(), t.Context(), 1+round); err != nil {
			t.Fatal(err)
		}
	}
	if got := len(r.left()); got != all-8 || len(r.found) != 8 {
		t.Errorf("%d of %d trials are left after %d findings, want the eight that found something left out", got, all, len(r.found))
	}
}

func TestWhatIsFoundAtTheLastMomentIsShrunk(t *testing.T) {
	t.Parallel()
	r := campaignOf(1)
	timed, end := context.WithCancel(t.Context())
	r.trials[0].fuzzers[0].Checks[0] = checkOfCalls(AgreementID, func(s Subject) bool {
		if calls(s, "a") {
			end()
			return true
		}
		return false
	})
	if err := r.round(t.Context(), timed, 1); err != nil {
		t.Fatal(err)
	}
	const want = `{"detector":"history","reading":"code","steps":[{"type":"tool_call","tool":"a"}]}`
	if len(r.found) != 1 || r.found[0].Subject.Value().String() != want {
		t.Errorf("found %v, want %s and nothing of the trials that came too late", r.found, want)
	}
}

func TestAnInterruptedRoundIsNoError(t *testing.T) {
	t.Parallel()
	r := campaignOf(2)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	for _, h := range r.trials[0].fuzzers {
		h.Checks[0].Run = func(ctx context.Context, _ spec.Port, _ Subject) error {
			interrupt()
			return ctx.Err()
		}
	}
	if err := r.round(ctx, ctx, 1); err != nil {
		t.Errorf("got %v, want what was found so far", err)
	}
}
