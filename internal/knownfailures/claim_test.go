package knownfailures

import (
	"fmt"
	"testing"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

// TestClaimOnResultsThatTheSuiteLacks shows that results count although the suite, which may be another version than
// that of the run, does not know their cases.
func TestClaimOnResultsThatTheSuiteLacks(t *testing.T) {
	c := claim{Entry: &Entry{Case: "history-*", Step: AnyStep}}
	for i := range MaxCases + 1 {
		c.results = append(c.results, wrong(fmt.Sprintf("history-%d", i), spec.Code, 1))
	}
	want := `"history-*" matches 21 cases, and one entry excuses at most 20; write several, each with its own reason`
	if got := c.tooBroad(nil); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	c.results = c.results[:1]
	if got := c.unmatched(nil); got != "" {
		t.Errorf("an entry that matches a result: got %q, want nothing", got)
	}
}

// TestClaimOnAFailureThatSaysNothing shows that only an entry that names no place excuses a failure without one.
func TestClaimOnAFailureThatSaysNothing(t *testing.T) {
	tests := map[Entry]bool{
		{Step: AnyStep}:                  true,
		{Step: AnyStep, Member: "count"}: false,
		{Step: 0}:                        false,
		{Step: 1}:                        false,
		{Step: 1, Member: "count"}:       false,
	}
	for e, want := range tests {
		c := claim{Entry: &e, results: []conformance.Result{{Status: conformance.Failed}}}
		if got := c.changed() == ""; got != want {
			t.Errorf("step %d, member %q: excuses %t, want %t", e.Step, e.Member, got, want)
		}
	}
}

// TestClaimGivesItsReason shows what a report says of an excused failure, with a place to read on and without.
func TestClaimGivesItsReason(t *testing.T) {
	for want, e := range map[string]Entry{
		"why": {Reason: "why"}, "why (https://example.com/7)": {Reason: "why", URL: "https://example.com/7"},
	} {
		if got := e.excuse(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
