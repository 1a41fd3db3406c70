package conformance_test

import (
	"context"
	"sync"
	"testing"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// callCounter counts the calls of functions that name a reading, and those that do not.
type callCounter struct {
	spec.Port
	mu             sync.Mutex
	named, unnamed int
}

// Call implements [spec.Port].
func (c *callCounter) Call(
	ctx context.Context, function string, reading spec.Reading, args spec.Value,
) (spec.Value, error) {
	c.mu.Lock()
	if reading == "" {
		c.unnamed++
	} else {
		c.named++
	}
	c.mu.Unlock()
	return c.Port.Call(ctx, function, reading, args)
}

// TestSomeCallsNameNoReading: the first reading that a port has is meant where a call names none.
func TestSomeCallsNameNoReading(t *testing.T) {
	t.Parallel()
	port := &callCounter{Port: reference.Port()}
	report, err := conformance.Run(t.Context(), port, casesOf(t, spec.Signature), conformance.Options{})
	if err != nil || report.Outcome() != conformance.Conformant {
		t.Fatal(err, report.Outcome())
	}
	if port.named < 5 || port.unnamed < 5 {
		t.Errorf("%d calls name a reading, and %d do not; want some of both", port.named, port.unnamed)
	}
}
