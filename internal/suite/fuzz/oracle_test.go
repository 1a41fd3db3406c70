package fuzz_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/generate"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// unfit is a port that opens sessions and cannot say what it thinks of events.
type unfit struct {
	spec.Port
	fail func() error
}

type unfitSession struct {
	spec.Session
	fail func() error
}

// Open implements [spec.Port].
func (u unfit) Open(
	ctx context.Context, id spec.DetectorID, reading spec.Reading, config spec.Value,
) (spec.Session, error) {
	s, err := u.Port.Open(ctx, id, reading, config)
	return unfitSession{s, u.fail}, err
}

// Observe implements [spec.Session].
func (s unfitSession) Observe(context.Context, []spec.Value) ([]spec.Value, error) {
	return nil, s.fail()
}

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
		oracle := conformance.Oracle(unfit{reference.Port(), fail})
		results, err := fuzz.Judge(t.Context(), reference.Port(), oracle, generate.For, laws,
			fuzz.Budget{Checks: 20, Seeds: []int64{1}})
		if err != nil || len(results) != 1 || results[0].Status != conformance.Faulty ||
			!strings.Contains(results[0].Reason, "the oracle has no answer: ") ||
			!strings.Contains(results[0].Reason, "no such luck") {
			t.Errorf("%s: got %v, %+v; want a fault of the suite", why, err, results)
		}
	}
}
