package fuzz_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/tracegen"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// TestAnOracleThatFailsIsNoPortsFault compares an honest port with oracles that cannot answer, on generated traces.
func TestAnOracleThatFailsIsNoPortsFault(t *testing.T) {
	t.Parallel()
	laws, err := cases.Selection{Cases: []string{"history-law-agreement"}}.Select(fuzz.Cases())
	if err != nil {
		t.Fatal(err)
	}
	for why, fail := range map[string]func() error{
		"it panics":        func() error { panic("no such luck") },
		"it has no answer": func() error { return errors.New("no such luck") },
	} {
		oracle := conformance.Oracle(watched{reference.Port(), func() observing {
			return func(context.Context, spec.Session, []spec.Value) ([]spec.Value, error) { return nil, fail() }
		}})
		results, err := fuzz.Judge(t.Context(), reference.Port(), oracle, tracegen.For, laws,
			fuzz.Budget{Checks: 20, Seeds: []int64{1}})
		if err != nil || len(results) != 1 || results[0].Status != conformance.Faulty ||
			!strings.Contains(results[0].Reason, "the oracle has no answer: ") ||
			!strings.Contains(results[0].Reason, "no such luck") {
			t.Errorf("%s: got %v, %+v; want a fault of the suite", why, err, results)
		}
	}
}
