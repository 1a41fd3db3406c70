//go:build unix

package conformance_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// checkOwn checks this binary as an adapter and returns the exchanges that it fails.
func checkOwn(t *testing.T, variable string, limits stdio.Options) []conformance.Result {
	t.Helper()
	command := own(t, variable)
	dial := func(ctx context.Context) (*stdio.Wire, error) { return stdio.OpenWire(ctx, command, limits) }
	description, err := historyPort().Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	results, err := conformance.CheckAdapter(t.Context(), dial, description, casesOf(t, cases.Protocol), limits)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(results, func(r conformance.Result) bool { return r.Status == conformance.Passed })
}

// TestTheAdapterCheckNamesTheClauseThatIsBroken shows that each rule of the protocol has an exchange that fails where
// an adapter breaks it, and that few others do.
func TestTheAdapterCheckNamesTheClauseThatIsBroken(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("hundreds of processes of this very binary: without the race detector only")
	}
	const most = 6 // exchanges that one broken rule may spoil, but for rules that all exchanges rest on
	everywhere := []string{"PR-1", "PR-2", "PR-7", "PR-23", "PR-24"}
	for _, b := range breaches() {
		t.Run(b.name(), func(t *testing.T) {
			t.Parallel()
			limits := patient
			if strings.Contains(b.about, "stays") || strings.Contains(b.about, "ignores what") {
				limits = hasty
			}
			failed := checkOwn(t, breachEnv+"="+b.name(), limits)
			outcome := (&conformance.Report{Results: failed}).Outcome()
			isAboutIt := func(r conformance.Result) bool { return slices.Contains(r.Clauses, b.clause) }
			if outcome != conformance.AdapterFault || !slices.ContainsFunc(failed, isAboutIt) {
				t.Errorf("the outcome is %s, and no exchange that fails is about %s", outcome, b.clause)
			}
			if len(failed) > most && !slices.Contains(everywhere, b.clause) {
				t.Errorf("%d exchanges fail", len(failed))
			}
			for _, r := range failed {
				t.Logf("%s %v: step %d of %d, %s: %s %v", r.Case, r.Clauses, r.Failure.Step, r.Failure.Steps,
					r.Failure.Action, r.Failure.Problem, r.Failure.Differences)
			}
		})
	}
}

// TestEveryClauseOfTheWireIsBroken shows that no rule that the exchanges test is forgotten above.
func TestEveryClauseOfTheWireIsBroken(t *testing.T) {
	t.Parallel()
	broken := map[string]bool{}
	for _, b := range breaches() {
		if _, known := spec.ClauseByID(b.clause); !known {
			t.Errorf("there is no clause %s", b.clause)
		}
		broken[b.clause] = true
	}
	for _, c := range casesOf(t, cases.Protocol) {
		for _, clause := range c.Clauses {
			if !broken[clause] {
				t.Errorf("%s is about %s, which no adapter of these tests breaks", c.ID, clause)
			}
		}
	}
}

func TestAnHonestAdapterPassesEveryExchange(t *testing.T) {
	t.Parallel()
	if failed := checkOwn(t, trapEnv+"=crash:nothing", patient); len(failed) > 0 {
		t.Errorf("%d exchanges fail, the first is %s: %s", len(failed), failed[0].Case, reasonOf(failed[0]))
	}
}
