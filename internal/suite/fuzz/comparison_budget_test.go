package fuzz_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/tracegen"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// TestALostPortDecidesNoComparison: a port that is lost once is asked again, and nobody is accused; what it does again and
// again is its own, and a breach of the protocol is the adapter's fault. All other cases are compared.
func TestALostPortDecidesNoComparison(t *testing.T) {
	t.Parallel()
	died := stdio.ProcessError{Reason: stdio.Exited, Exit: &stdio.Exit{Code: 3}, Problem: "exit status 3"}
	left := stdio.ProcessError{Reason: stdio.Exited, Exit: &stdio.Exit{}, Clause: "PR-1", Problem: "exit status 0"}
	late := stdio.ProcessError{Reason: stdio.TimedOut, Problem: "no answer within 1s"}
	garbled := stdio.ProcessError{Reason: stdio.BrokeProtocol, Clause: "PR-7", Problem: "a line that is not JSON"}
	atFirst := func(_ []spec.Value, told int) bool { return told == 2 }
	inTrace := func(_ []spec.Value, told int) bool { return told == 60 } // one that is generated
	atResult := func(events []spec.Value, _ int) bool {
		return slices.ContainsFunc(events, func(e spec.Value) bool { return spec.TypeOf(e) == spec.ToolResult })
	}
	for _, test := range []struct {
		reason      string
		loss        stdio.ProcessError
		deadly      func([]spec.Value, int) bool
		old, now    conformance.Outcome // with the old port lost, with the new one
		unexplained int
	}{
		{"dead once, at a case", died, atFirst, conformance.NotDecided, conformance.NotDecided, 1},
		{"late once, at a case", late, atFirst, conformance.NotDecided, conformance.NotDecided, 1},
		{"dead once, at a generated trace", died, inTrace, conformance.NotDecided, conformance.NotDecided, 1},
		{"late once, at a generated trace", late, inTrace, conformance.NotDecided, conformance.NotDecided, 1},
		{"left once, at a case", left, atFirst, conformance.NotDecided, conformance.NotDecided, 1},
		{"left once, at a generated trace", left, inTrace, conformance.NotDecided, conformance.NotDecided, 1},
		{"left at every result", left, atResult, conformance.AdapterFault, conformance.AdapterFault, 0},
		{"garbled once", garbled, atFirst, conformance.AdapterFault, conformance.AdapterFault, 0},
		{"dead at every result", died, atResult, conformance.Improved, conformance.NotConformant, 0},
		{"late at every result", late, atResult, conformance.NotDecided, conformance.NotDecided, 0},
		{"garbled at every result", garbled, atResult, conformance.AdapterFault, conformance.AdapterFault, 0},
	} {
		for _, isOld := range []bool{true, false} {
			lost := &fragile{
				Port: spec.NewHost(spec.Description{}, reference.Implementation(spec.History)), loss: test.loss, deadly: test.deadly,
			}
			var port, old spec.Port = lost, reference.Port()
			want := test.now
			if isOld {
				port, old, want = old, port, test.old
			}
			name := test.reason + map[bool]string{true: ", the old port", false: ", the new port"}[isOld]
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				r := compared(t, port, old)
				if got := r.Outcome(); got != want || r.Unexplained != test.unexplained {
					t.Errorf("got %s with %d unexplained, want %s with %d", got, r.Unexplained, want, test.unexplained)
				}
				text := strings.Join(r.Losses, "\n")
				for _, result := range r.Results {
					text += strings.TrimRight("\n"+result.Reason, "\n")
				}
				if strings.Contains(text, "of the old port: the adapter ") != isOld || strings.Contains(text, "oracle") {
					t.Errorf("it is not said which port was lost: %s", text)
				}
				if r.Count(conformance.Passed) < 3 {
					t.Errorf("%d of %d cases are compared", r.Count(conformance.Passed), len(r.Results))
				}
			})
		}
	}
}

// compared compares two ports on a few cases of history and on generated traces.
func compared(t *testing.T, port, old spec.Port) conformance.Report {
	t.Helper()
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	selected, err := cases.Selection{Cases: []string{
		"history-third-identical-call", "history-law-agreement", windowOfTwenty, "history-alternating*", "history-e*",
	}, Detectors: []string{"history"}}.Select(slices.Concat(suite, fuzz.Cases()))
	if err != nil {
		t.Fatal(err)
	}
	selected = lists.Filter(selected, func(c cases.Case) bool { return len(c.Steps) > 0 || c.IsLaw() })
	budget := fuzz.Budget{Checks: 40, Seeds: []int64{1}, Reference: reference.Port(), Falls: &fuzz.Falls{}}
	results, err := fuzz.Against(t.Context(), port, old, tracegen.For, selected, budget)
	if err != nil {
		t.Fatal(err)
	}
	return conformance.Report{
		Results: results, Unexplained: budget.Falls.Unexplained, Losses: budget.Falls.Losses,
		Settings: conformance.Settings{Against: []string{"old"}},
	}
}
