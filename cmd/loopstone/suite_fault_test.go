package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/reference"
)

// TestTheSuitesOwnFaultsExitWith4 judges a port that is right by case files that are wrong.
func TestTheSuitesOwnFaultsExitWith4(t *testing.T) {
	t.Parallel()
	const history = "detector: history\ncases:\n" +
		"  - {id: history-new, title: A new case, clauses: [HI-1], source: silent, why: It is new.,\n     "
	tests := []struct{ why, file, text, want string }{
		{"a file that is no YAML", "history/new.yaml", "cases: [", "history/new.yaml:1"},
		{
			"a clause that does not exist", "history/new.yaml",
			strings.Replace(history, "HI-1", "HI-99", 1) + "steps: [{reset: true}]}\n", "HI-99",
		},
		{
			"an expectation that the reference does not meet either", "history/new.yaml",
			history + "steps: [{tool_call: {tool: t}, expect: {count: 2}}]}\n",
			"SUITE history-new (code)",
		},
		{
			"an exchange that cannot be carried out", "protocol/new.yaml",
			"detector: protocol\ncases:\n  - {id: protocol-new, title: A new case, clauses: [PR-8], source: silent, why: It is new.,\n" +
				"     exchange: [{close: true}, {exit: 0}, {raw: \"\"}]}\n",
			"SUITE protocol-new",
		},
	}
	for _, test := range tests {
		t.Run(test.why, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			if err := os.MkdirAll(filepath.Join(folder, filepath.Dir(test.file)), 0o755); err != nil {
				t.Fatal(err)
			}
			write(t, folder, test.file, test.text)
			out, outcome := tool(t, folder, append([]string{"test", "--cases", "."}, referencePort(t)...)...)
			if outcome != conformance.SuiteFault || !says(out, test.want) {
				t.Errorf("got %s, want %s with %q in\n%s", outcome, conformance.SuiteFault, test.want, out)
			}
		})
	}
}

// TestAPanicOfTheToolExitsWith4 guards what would otherwise exit with 2, which says that nobody knows.
func TestAPanicOfTheToolExitsWith4(t *testing.T) {
	t.Parallel()
	broken := runner(func(context.Context, streams, call) (conformance.Outcome, error) { panic("no such luck") })
	outcome, err := broken.runSafely(t.Context(), streams{}, call{})
	if outcome != conformance.SuiteFault || err == nil || !strings.Contains(err.Error(), "the suite is wrong: it panicked: no such luck\n") {
		t.Errorf("got %s, %v", outcome, err)
	}
}

// TestWhatKeepsLawsFromBeingCheckedHasItsVoice tells an oracle without an answer from a port that gave none in time,
// which is nobody's fault, and from one that broke the protocol.
func TestWhatKeepsLawsFromBeingCheckedHasItsVoice(t *testing.T) {
	t.Parallel()
	description, err := reference.Port().Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	laws := fuzz.Cases()[:2]
	ours := &conformance.SuiteError{Problem: "the oracle has no answer"}
	for _, test := range []struct {
		why  error
		want conformance.Outcome
	}{
		{&stdio.ProcessError{Reason: stdio.TimedOut, Problem: "no answer in time"}, conformance.NotDecided},
		{&stdio.ProcessError{Reason: stdio.BrokeProtocol, Problem: "a line is no JSON"}, conformance.AdapterFault},
		{ours, conformance.SuiteFault},
	} {
		report := &conformance.Report{Results: notJudged(laws, description, test.why)}
		if got := report.Outcome(); got != test.want || report.Results[0].Reason != test.why.Error() {
			t.Errorf("%v: got %s, %q; want %s", test.why, got, report.Results[0].Reason, test.want)
		}
	}
}
