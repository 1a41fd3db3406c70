package fuzz_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/tracegen"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// counted is an adapter that counts how often it is started anew.
type counted struct {
	*stdio.Adapter
	restarts atomic.Int64
}

func (c *counted) Restart(ctx context.Context) error {
	c.restarts.Add(1)
	return c.Adapter.Restart(ctx)
}

// TestWhatShrinkingCostsIsBounded: a port that dies of most traces breaks every check, and shrinking each would take
// hundreds of processes; one that says a quarter of a megabyte at each event takes as long to be listened to. Both are told what they break.
func TestWhatShrinkingCostsIsBounded(t *testing.T) {
	t.Parallel()
	var said atomic.Int64
	huge := changed(reference.Implementation(spec.History), func(d spec.Detector, _ spec.Value) spec.Detector {
		return &tweaked{Detector: d, after: func(_ spec.Event, v spec.Verdict) spec.Verdict {
			said.Add(1)
			v.Loop, v.Kind = true, spec.VerdictKind(strings.Repeat("k", 1<<18))
			return v
		}}
	})
	dies := &counted{Adapter: crashingAdapter(t)}
	for name, port := range map[string]spec.Port{"dies": dies, "huge": hosted(huge)} {
		results, err := fuzz.Judge(t.Context(), port, reference.Port(), tracegen.For,
			fuzz.Cases(), fuzz.Budget{Checks: 20, Seeds: []int64{1}})
		if err != nil {
			t.Fatal(err)
		}
		of := map[conformance.Status]int{}
		for _, r := range results {
			of[r.Status]++
		}
		if of[conformance.Failed] == 0 || name == "dies" && of[conformance.Failed]+of[conformance.Undecided] < 10 {
			t.Errorf("%s: %v, want failures, and hardly a pass where the port dies", name, of)
		}
	}
	if n := dies.restarts.Load(); n > 60 {
		t.Errorf("started anew %d times", n)
	}
	if n := said.Load(); n > 2000 {
		t.Errorf("the port was asked for %d verdicts of a quarter of a megabyte", n)
	}
}
