package fuzz_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/tracegen"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// saying wraps an implementation whose verdicts are changed.
func saying(impl spec.Implementation, change func(*spec.Verdict)) spec.Implementation {
	return changed(impl, func(d spec.Detector, _ spec.Value) spec.Detector {
		return &tweaked{Detector: d, after: func(_ spec.Event, v spec.Verdict) spec.Verdict {
			change(&v)
			return v
		}}
	})
}

// miscounts is a history detector that says one count for another.
func miscounts(instead map[int]int) spec.Implementation {
	return saying(reference.Implementation(spec.History), func(v *spec.Verdict) {
		if other, ok := instead[v.Count]; ok {
			v.Count = other
		}
	})
}

// refusing is a history detector that takes no threshold.
func refusing() spec.Implementation {
	impl := miscounts(nil)
	made := impl.New
	impl.New = func(r spec.Reading, config spec.Value) (spec.Detector, error) {
		if !config.Get("repeat_threshold").IsAbsent() {
			return nil, &spec.Fault{Kind: spec.InvalidConfig, Field: "repeat_threshold"}
		}
		return made(r, config)
	}
	return impl
}

// fuzzyAlone declares the rule fuzzy alone, and says what it is told where exact, which may hide it, holds.
func fuzzyAlone(instead spec.Verdict) spec.Implementation {
	impl := saying(reference.Implementation(spec.Fingerprint), func(v *spec.Verdict) {
		if v.Loop && v.Kind == spec.KindExact {
			*v = instead
		}
	})
	impl.Rules, impl.Functions = []spec.VerdictKind{spec.KindFuzzy}, nil
	return impl
}

// TestTheReferenceSaysWhichOfTwoPortsIsRight: on cases and on generated traces.
func TestTheReferenceSaysWhichOfTwoPortsIsRight(t *testing.T) {
	t.Parallel()
	right := miscounts(nil)
	none, loop := spec.Verdict{}, spec.Verdict{Loop: true, Kind: spec.KindFuzzy, Count: 9}
	for _, test := range []struct {
		reason   string
		old, now spec.Implementation
		by       spec.Port // nil if nothing says which is right
		want     conformance.Change
		sides    int
	}{
		{"nothing changed", miscounts(map[int]int{3: 2}), miscounts(map[int]int{3: 2}), reference.Port(), "", 0},
		{"a repair", miscounts(map[int]int{3: 2}), right, reference.Port(), conformance.Fixed, 3},
		{"a regression", right, miscounts(map[int]int{3: 2}), reference.Port(), conformance.Regressed, 3},
		{"another fault", miscounts(map[int]int{3: 2}), miscounts(map[int]int{3: 4}), reference.Port(), conformance.BothWrong, 3},
		{
			"a repair at every trace's first event hides no rare regression",
			miscounts(map[int]int{1: 7}), miscounts(map[int]int{4: 5}), reference.Port(), conformance.Regressed, 3,
		},
		{"what was refused is taken", refusing(), right, reference.Port(), conformance.Fixed, 3},
		{"what was taken is refused", right, refusing(), reference.Port(), conformance.Regressed, 3},
		{"what was refused is taken, and judged wrongly", refusing(), miscounts(map[int]int{4: 5}), reference.Port(), conformance.Regressed, 3},
		{"nobody knows the detector", right, miscounts(map[int]int{3: 2}), nil, conformance.Unspecified, 2},
		{"a rule that neither has may hide theirs", fuzzyAlone(none), fuzzyAlone(loop), reference.Port(), conformance.Unspecified, 3},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			results := against(t, test.old, test.now, test.by)
			i := slices.IndexFunc(results, func(r conformance.Result) bool { return r.File == "" })
			generated := results[i]
			if generated.Change != test.want {
				t.Fatalf("got %q, want %q: %+v", generated.Change, test.want, generated.Failure)
			}
			wantStatus := conformance.Failed
			if test.want == "" || test.want == conformance.Fixed {
				wantStatus = conformance.Passed
			}
			if generated.Status != wantStatus {
				t.Errorf("it is %s, want %s", generated.Status, wantStatus)
			}
			if test.sides > 0 && len(generated.Failure.Sides) != test.sides {
				t.Errorf("sides %v, want %d", generated.Failure.Sides, test.sides)
			}
		})
	}
}

// against compares two ports on the case of three identical calls and on generated traces.
func against(t *testing.T, old, now spec.Implementation, by spec.Port) []conformance.Result {
	t.Helper()
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	port := func(impl spec.Implementation) spec.Port {
		return spec.NewHost(spec.Description{Name: "port", Version: "1", Language: "go"}, impl)
	}
	ctx := context.Background()
	description, err := port(now).Describe(ctx)
	if err != nil {
		t.Fatal(err)
	}
	selected := slices.DeleteFunc(fuzz.AgainstCases(suite, description), func(c cases.Case) bool {
		return !slices.Contains([]string{string(now.Detector) + "-law-agreement", "history-third-identical-call", windowOfTwenty}, c.ID)
	})
	results, err := fuzz.Against(ctx, port(now), port(old), tracegen.For, selected,
		fuzz.Budget{Checks: 100, Seeds: []int64{1}, Reference: by})
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// windowOfTwenty is a case of five steps, whose third is event 20.
const windowOfTwenty = "history-default-window-of-twenty"

// TestADifferenceNamesTheStepOfItsCase: what a reader finds in the file of the case, and not the number of an event.
func TestADifferenceNamesTheStepOfItsCase(t *testing.T) {
	t.Parallel()
	results := against(t, miscounts(nil), miscounts(map[int]int{3: 2}), reference.Port())
	i := slices.IndexFunc(results, func(r conformance.Result) bool { return r.Case == windowOfTwenty })
	if f := results[i].Failure; f == nil || f.Step != 3 || f.Steps != 5 || len(f.Trace) != 19 {
		t.Errorf("got %+v, want step 3 of 5 after 19 events", f)
	}
}

// TestACampaignFindsARegressionBesideARepair: a repair at every trace's first event does not hide it.
func TestACampaignFindsARegressionBesideARepair(t *testing.T) {
	if testing.Short() {
		t.Skip("it searches for a second: make long runs it")
	}
	t.Parallel()
	old, now := hosted(miscounts(map[int]int{1: 7})), hosted(miscounts(map[int]int{4: 5}))
	for within := time.Second; within < time.Hour; within *= 4 { // the machine may be busy
		found, _, err := fuzz.Campaign{
			Pairs: []fuzz.Pair{{Port: now, Oracle: old}}, Laws: fuzz.Cases(), Source: tracegen.For, Seed: 1, For: within,
			Reference: reference.Port(), Against: true,
		}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		changes := map[conformance.Change]bool{}
		for _, each := range found {
			changes[each.Change] = true
			if len(each.Sides) != 3 && each.Change != "" {
				t.Errorf("%s: sides %v, want three", each.Case.ID, each.Sides)
			}
		}
		if changes[conformance.Regressed] && changes[conformance.Fixed] {
			return
		}
	}
	t.Error("a regression or a repair is not found")
}

// TestADifferenceShowsWhatBothAndTheReferenceSay: the verdicts before it, which are those of both, and the three at it.
func TestADifferenceShowsWhatBothAndTheReferenceSay(t *testing.T) {
	t.Parallel()
	results := against(t, miscounts(map[int]int{3: 2}), miscounts(nil), reference.Port())
	for _, r := range results {
		if r.Change != conformance.Fixed {
			t.Errorf("%s is %q", r.Case, r.Change)
			continue
		}
		f := r.Failure
		before := len(f.Trace)
		if r.Case != windowOfTwenty && before != 2 || !strings.HasSuffix(f.Trace[before-1], `-> {"loop":false,"count":2}`) {
			t.Errorf("%s: the trace is %q", r.Case, f.Trace)
		}
		for i, want := range []string{`"count":2`, `"count":3`, `"count":3`} {
			if !strings.Contains(f.Sides[i].Says, want) {
				t.Errorf("%s: %s says %s, want %s", r.Case, f.Sides[i].Who, f.Sides[i].Says, want)
			}
		}
	}
}
