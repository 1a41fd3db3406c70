package generate

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/fuzz"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/reference/swarm"
	"github.com/loopstone/loopstone/spec"
)

// offers returns everything that the specification knows, one offer for each detector.
func offers() []spec.Offer {
	var list []spec.Offer
	for _, p := range spec.Detectors() {
		list = append(list, spec.Offer{Detector: p.ID, Readings: p.Readings, Features: p.Features})
	}
	return list
}

// example draws the subject of a seed.
func example[T any](seed int, draw func(*rapid.T) T) T { return rapid.Custom(draw).Example(seed) }

// replayVariable makes this test binary play generated subjects and do nothing else.
const replayVariable = "LOOPSTONE_GENERATE_REPLAY"

// TestReplay plays generated subjects to the reference, for the test that measures what they reach.
func TestReplay(t *testing.T) {
	if os.Getenv(replayVariable) == "" {
		t.Skip("run by TestGeneratedTracesExecuteTheReference")
	}
	if _, err := reference.Port().Describe(context.Background()); err != nil {
		t.Fatal(err)
	}
	port := reference.Port()
	for _, offer := range offers() {
		for _, reading := range offer.Readings {
			draw := For(offer, reading)
			for seed := range 3000 {
				example(seed, func(rt *rapid.T) bool {
					defer reportPanic(t) // rapid would draw another subject
					replay(t, port, dice{rt}, draw(rt))
					return true
				})
			}
		}
	}
}

func reportPanic(t *testing.T) {
	if r := recover(); r != nil {
		t.Errorf("the reference panics: %v\n%s", r, debug.Stack())
	}
}

// replay plays a subject, and restores sessions from snapshots taken on the way: intact ones, and ones that were changed
// in one place.
func replay(t *testing.T, port spec.Port, d dice, s fuzz.Subject) {
	ctx := context.Background()
	if s.IsCall() {
		_, err := port.Call(ctx, s.Function, s.Reading, s.Args)
		mustBeFault(t, err)
		return
	}
	sessions := map[int]spec.Session{}
	for _, step := range s.Steps {
		session := sessions[step.Session]
		if session == nil {
			opened, err := port.Open(ctx, s.Detector, s.Reading, s.Config)
			if err != nil {
				mustBeFault(t, err)
				return
			}
			session, sessions[step.Session] = opened, opened
		}
		if step.IsReset() {
			mustBeFault(t, session.Reset(ctx))
			continue
		}
		_, err := session.Observe(ctx, []spec.Value{step.Event})
		mustBeFault(t, err)
		if len(s.Steps) < 1000 && d.oneIn(8) {
			restore(t, d, session)
		}
		if s.Detector == spec.Swarm && err == nil {
			report(step.Event)
		}
	}
	for _, session := range sessions {
		restore(t, d, session)
		_, err := session.State(ctx)
		mustBeFault(t, err)
	}
}

var totals = swarm.NewTotals(swarm.DefaultLimits())

// report tells a call to the form of the swarm that Go programs use.
func report(event spec.Value) {
	if e, err := spec.DecodeEvent(event); err == nil && e.Type == spec.ToolCall {
		totals.Report(e.Worker, e.Tool, event.Get("args"))
	}
}

// restore puts changed snapshots into the session, and then the snapshot itself. A swarm, whose state is not opaque, may
// also go on with the change.
func restore(t *testing.T, d dice, session spec.Session) {
	ctx := context.Background()
	state, err := session.Snapshot(ctx)
	if err != nil {
		t.Fatalf("snapshot: %v", err)
	}
	for range 3 {
		mustBeFault(t, session.Restore(ctx, d.mutated(state)))
	}
	if !state.Get("fingerprints").IsAbsent() && d.oneIn(8) {
		return
	}
	if err := session.Restore(ctx, state); err != nil {
		t.Fatalf("restore %s: %v", state, err)
	}
}

// mustBeFault fails the test where an error is anything but a refusal.
func mustBeFault(t *testing.T, err error) {
	t.Helper()
	var fault *spec.Fault
	if err != nil && !errors.As(err, &fault) {
		t.Fatalf("the reference could not be asked: %v", err)
	}
}
