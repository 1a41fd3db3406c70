package fuzz_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/tracegen"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// TestLawsHoldForTheReference checks every law on generated traces, for every detector and reading that it is said to
// hold for, and that the reference agrees with itself.
func TestLawsHoldForTheReference(t *testing.T) {
	port := reference.Port()
	budget := fuzz.Budget{Checks: 300, Seeds: []int64{1}}
	if testing.Short() {
		budget.Checks = 50
	}
	t.Logf("seeds %d", budget.Seeds)
	results, err := fuzz.Judge(t.Context(), port, port, tracegen.For, fuzz.Cases(), budget)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		switch {
		case r.Failure != nil:
			t.Errorf("%s (%s): %s %v\n%v then %s", r.Case, r.Reading, r.Failure.Problem, r.Failure.Differences,
				r.Failure.Trace, r.Failure.Action)
		case r.Status != conformance.Passed:
			t.Errorf("%s (%s) is %s: %s", r.Case, r.Reading, r.Status, r.Reason)
		}
	}
}

// TestAFaultOfTheSuiteSpoilsOneCheck shows it of a detector that the table does not have, and of one that cannot be
// drawn: both are told, and the others are judged as if they were not there.
func TestAFaultOfTheSuiteSpoilsOneCheck(t *testing.T) {
	t.Parallel()
	port := spec.NewHost(spec.Description{}, append(reference.Implementations(), eighth())...)
	source := func(offer spec.Offer, reading spec.Reading) func(*rapid.T) fuzz.Subject {
		switch offer.Detector {
		case "eighth":
			return func(t *rapid.T) fuzz.Subject {
				output := spec.MustParse(`{"type":"output","text":"x"}`)
				steps := slices.Repeat([]laws.Step{{Event: output}}, rapid.IntRange(0, 3).Draw(t, "steps"))
				return fuzz.Subject{Trace: laws.Trace{Detector: "eighth", Reading: reading, Steps: steps}}
			}
		case spec.Ralph:
			panic("ralph has no letters")
		default:
			return tracegen.For(offer, reading)
		}
	}
	var checks []cases.Case
	for _, id := range []spec.DetectorID{spec.History, spec.Ralph, "eighth"} {
		for _, law := range []string{"key-order", "neutral-events"} {
			checks = append(checks, cases.Case{
				ID: string(id) + "-law-" + law, Detector: id, Readings: []spec.Reading{spec.Text}, Tags: []string{"law"},
			})
		}
	}
	checks[0].Readings, checks[1].Readings = []spec.Reading{spec.Code}, []spec.Reading{spec.Code}
	results, err := fuzz.Judge(t.Context(), port, port, source, checks, fuzz.Budget{Checks: 50, Seeds: []int64{1}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range results {
		got = append(got, fmt.Sprintf("%s %s", r.Case, r.Status))
	}
	want := []string{
		"history-law-key-order passed", "history-law-neutral-events passed",
		"ralph-law-key-order faulty", "ralph-law-neutral-events faulty",
		"eighth-law-key-order passed", "eighth-law-neutral-events faulty",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
	for i, missing := range map[int]string{2: "ralph has no letters", 5: `spec/detectors.go has no row of the detector "eighth"`} {
		if !strings.Contains(results[i].Reason, missing) {
			t.Errorf("%s: the fault does not name what is missing: %s", results[i].Case, results[i].Reason)
		}
	}
}

// constant is a detector that returns the same verdict after each event.
type constant spec.Verdict

func (c constant) Observe(spec.Event) spec.Verdict { return spec.Verdict(c) }

func (constant) Reset() {}

// eighth is a detector that the table of the specification does not have.
func eighth() spec.Implementation {
	return spec.Implementation{
		Offer: spec.Offer{Detector: "eighth", Readings: []spec.Reading{spec.Text}},
		New: func(spec.Reading, spec.Value) (spec.Detector, error) {
			return constant{Loop: true}, nil
		},
	}
}

// judged returns the results of some checks of history on a port.
func judged(t *testing.T, port spec.Port, checks ...string) []conformance.Result {
	t.Helper()
	for i := range checks {
		checks[i] = "history-law-" + checks[i]
	}
	laws, err := cases.Selection{Cases: checks}.Select(fuzz.Cases())
	if err != nil {
		t.Fatal(err)
	}
	results, err := fuzz.Judge(t.Context(), port, reference.Port(), tracegen.For, laws, fuzz.Budget{Checks: 100, Seeds: []int64{1}})
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// TestALawWithoutALoopIsNotExercised: a port that never speaks, or never listens, keeps most laws by saying nothing.
func TestALawWithoutALoopIsNotExercised(t *testing.T) {
	t.Parallel()
	silent := changed(reference.Implementation(spec.History), func(spec.Detector, spec.Value) spec.Detector {
		return constant{}
	})
	deaf := reference.Implementation(spec.History)
	deaf.New = func(spec.Reading, spec.Value) (spec.Detector, error) {
		return nil, &spec.Fault{Kind: spec.InvalidConfig, Field: "history_size"}
	}
	for _, test := range []struct {
		port   spec.Implementation
		status conformance.Status
		reason string
	}{
		{silent, conformance.Undecided, "not exercised: no verdict was a loop"},
		{deaf, conformance.Undecided, "not exercised: every session was refused"},
		{reference.Implementation(spec.History), conformance.Passed, ""},
	} {
		for _, r := range judged(t, spec.NewHost(spec.Description{}, test.port), "key-order", "forgetting", "isolation") {
			if r.Status != test.status || r.Reason != test.reason {
				t.Errorf("%s is %s: %s, want %s: %s", r.Case, r.Status, r.Reason, test.status, test.reason)
			}
		}
	}
}

// noReset is a detector that a reset does not empty.
type noReset struct{ spec.Detector }

func (noReset) Reset() {}

func TestABrokenLawCitesItsOwnClausesAndShowsAllEvents(t *testing.T) {
	t.Parallel()
	port := spec.NewHost(spec.Description{}, changed(reference.Implementation(spec.History), func(d spec.Detector, _ spec.Value) spec.Detector {
		return noReset{d}
	}))
	r := judged(t, port, "reset-is-fresh")[0]
	if r.Status != conformance.Failed || !slices.Equal(r.Clauses, []string{"PR-16", "HI-5"}) {
		t.Fatalf("%s with the clauses %v, want a failure of PR-16 and HI-5", r.Status, r.Clauses)
	}
	if len(r.Failure.Trace) != r.Failure.Steps || r.Failure.Steps == 0 {
		t.Errorf("%d steps are shown of %d: %v", len(r.Failure.Trace), r.Failure.Steps, r.Failure.Trace)
	}
}

// TestEveryLawCitesAClauseOfItsOwn: the detector's first one says which events it observes, and no law is about that.
func TestEveryLawCitesAClauseOfItsOwn(t *testing.T) {
	t.Parallel()
	for _, c := range fuzz.Cases() {
		definition, _ := spec.DefinitionOf(c.Detector)
		for _, id := range c.Clauses {
			if clause, ok := spec.ClauseByID(id); !ok || id == definition.Prefix+"-1" {
				t.Errorf("%s cites %s: %s", c.ID, id, clause.Text)
			}
		}
		_, check, _ := strings.Cut(c.ID, "-law-")
		if law, ok := laws.LawByID(check); ok && len(law.ClausesFor(c.Detector)) == 0 {
			t.Errorf("%s has no clause of its own", c.ID)
		}
	}
}

// TestWhatWasJudgedBeforeThePortWasLostStays: one check that cannot be made takes no result away.
func TestWhatWasJudgedBeforeThePortWasLostStays(t *testing.T) {
	t.Parallel()
	sessions := 0
	port := watched{spec.NewHost(spec.Description{}, reference.Implementation(spec.History)), func() observing {
		sessions++
		return func(ctx context.Context, s spec.Session, events []spec.Value) ([]spec.Value, error) {
			if sessions > 40 {
				return nil, errors.New("nobody answers")
			}
			return s.Observe(ctx, events)
		}
	}}
	var got []string
	for _, r := range judged(t, port, "determinism", "prefix", "neutral-events", "isolation", "forgetting") {
		got = append(got, string(r.Status))
	}
	if got[0] != "passed" || got[len(got)-1] != "undecided" || slices.Contains(got, "") {
		t.Errorf("got %v, want those before the port was lost passed and the others undecided", got)
	}
}

// TestExceptionsAreProved shows that each law is broken, by the reference itself, where it is said not to hold.
func TestExceptionsAreProved(t *testing.T) {
	t.Parallel()
	for _, law := range laws.Laws() {
		for _, e := range law.Exceptions {
			t.Run(law.ID+"/"+string(e.Detector)+"/"+string(e.Reading), func(t *testing.T) {
				t.Parallel()
				err := law.Check(t.Context(), reference.Port(), e.Counterexample)
				var breach *laws.Breach
				if !errors.As(err, &breach) {
					t.Errorf("the law holds for the counterexample: %v", err)
				}
			})
		}
	}
}

// TestLawsHoldOnTheCases applies each law to the trace of every case of the suite, with no oracle; with -short to every
// seventh trace, for one law to others than for the next.
func TestLawsHoldOnTheCases(t *testing.T) {
	t.Parallel()
	all, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	port := reference.Port()
	for n, law := range laws.Laws() {
		t.Run(law.ID, func(t *testing.T) {
			t.Parallel()
			applied, held := 0, n
			for _, c := range all {
				for _, trace := range laws.TracesOf(c) {
					if !law.HoldsFor(trace.Detector, trace.Reading) {
						continue
					}
					if held++; testing.Short() && held%7 != 0 {
						continue
					}
					applied++
					if err := law.Check(t.Context(), port, trace); err != nil && !isFault(err) {
						t.Errorf("%s (%s): %v", c.ID, trace.Reading, err)
					}
				}
			}
			if applied == 0 {
				t.Error("the law applies to no case")
			}
		})
	}
}

func isFault(err error) bool {
	var fault *spec.Fault
	return errors.As(err, &fault)
}

// TestLawsTellTracesInFewRequests: over a pipe a request costs more than an event. Two laws are about many: events that
// travel alone, and sessions that take turns.
func TestLawsTellTracesInFewRequests(t *testing.T) {
	t.Parallel()
	const events = 30
	steps := make([]laws.Step, events)
	for i := range steps {
		steps[i].Event = spec.MustParse(`{"type":"tool_call","tool":"t","worker":"w"}`)
	}
	for _, law := range laws.Laws() {
		n := 0
		port := counting(reference.Port(), func(int, int) { n++ })
		trace := laws.Trace{Detector: spec.Swarm, Reading: spec.Text, Steps: steps}
		if err := law.Check(t.Context(), port, trace); err != nil {
			t.Fatalf("%s: %v", law.ID, err)
		}
		many := law.ID == "batch-split" || law.ID == "isolation"
		if n == 0 || (n >= events) != many {
			t.Errorf("%s: %d requests for a trace of %d events", law.ID, n, events)
		}
	}
}

// further is a port with a known fault, and on top of it one that shows from an event of a session on.
func further(port spec.Port, from int) spec.Port {
	return watched{port, func() observing {
		seen := 0
		return func(ctx context.Context, s spec.Session, events []spec.Value) ([]spec.Value, error) {
			verdicts, err := s.Observe(ctx, events)
			for i := range verdicts {
				seen++
				if seen >= from {
					verdicts[i] = verdicts[i].With("count", spec.IntValue(98))
				} else if !verdicts[i].Get("count").IsAbsent() {
					verdicts[i] = verdicts[i].With("count", spec.IntValue(99))
				}
			}
			return verdicts, err
		}
	}}
}

// TestAFurtherFaultBehindTheSameCounterexampleIsSeen plants a second fault that the smallest counterexample does not
// show: who lists the failure as known must hear of it.
func TestAFurtherFaultBehindTheSameCounterexampleIsSeen(t *testing.T) {
	t.Parallel()
	agreement := fuzz.Cases()[slices.IndexFunc(fuzz.Cases(), func(c cases.Case) bool { return c.ID == "history-law-agreement" })]
	judge := func(from int) *conformance.Failure {
		port := further(reference.Port(), from)
		results, err := fuzz.Judge(t.Context(), port, reference.Port(), tracegen.For, []cases.Case{agreement}, fuzz.Budget{Checks: 100, Seeds: []int64{7, 8}})
		if err != nil || results[0].Failure == nil {
			t.Fatalf("got %+v, %v", results, err)
		}
		return results[0].Failure
	}
	const never = 1 << 30
	first, again, both := judge(never), judge(never), judge(5)
	if first.Seed != 7 || !strings.HasPrefix(first.Spread, "on ") || !strings.Contains(first.Spread, " of 100 traces, seed 7: ") {
		t.Errorf("the seed is %d, the spread is %q", first.Seed, first.Spread)
	}
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("the same port fails otherwise the second time (-first +again):\n%s", diff)
	}
	if diff := cmp.Diff(first.Trace, both.Trace); diff != "" {
		t.Fatalf("the counterexample shows the second fault (-first +both):\n%s", diff)
	}
	if both.Spread == first.Spread {
		t.Errorf("the second fault is not seen: the spread is %q with it and without", both.Spread)
	}
}
