package generate

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/reference/fast/swarm"
	rules "github.com/loopstone/loopstone/reference/swarm"
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
	port, plain := reference.Port(), reference.Rules()
	for _, offer := range offers() {
		for _, reading := range offer.Readings {
			draw := For(offer, reading)
			for seed := range 3000 {
				example(seed, func(rt *rapid.T) bool {
					defer reportPanic(t) // rapid would draw another subject
					s := draw(rt)
					replay(t, port, dice{rt}, s)
					if seed%3 == 0 && !s.IsCall() && len(s.Steps) <= usualLength { // the rules look at the whole trace at each event
						play(t, plain, s.Trace)
					}
					return true
				})
			}
		}
	}
}

// play tells the first agent's events to plain rules, and asks for the state.
func play(t *testing.T, plain spec.Port, trace laws.Trace) {
	session, err := plain.Open(t.Context(), trace.Detector, trace.Reading, trace.Config)
	if mustBeFault(t, err); err != nil {
		return
	}
	_, err = session.Observe(t.Context(), trace.Single().Events())
	mustBeFault(t, err)
	_, err = session.State(t.Context())
	mustBeFault(t, err)
	mustBeFault(t, session.Reset(t.Context()))
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

var totals = swarm.NewTotals(rules.Limits{Threshold: 10, MinWorkers: 2})

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
	if fault, ok := err.(*spec.Fault); ok && fault.Kind == spec.Unsupported {
		return // the reference has no snapshot of this detector
	}
	if err != nil {
		t.Fatalf("snapshot: %v", err)
	}
	for range 3 {
		mustBeFault(t, session.Restore(ctx, d.mutated(state)))
	}
	for _, other := range seen.take(state) {
		mustBeFault(t, session.Restore(ctx, other))
	}
	if !state.Get("fingerprints").IsAbsent() && d.oneIn(8) {
		return
	}
	if err := session.Restore(ctx, state); err != nil {
		t.Fatalf("restore %s: %v", state, err)
	}
}

// seen holds the latest states. Most were written under another configuration, or by another detector.
var seen states

type states struct{ latest []spec.Value }

// take returns the states before one, which it adds.
func (s *states) take(state spec.Value) []spec.Value {
	const kept = 24
	before := s.latest
	s.latest = append(slices.Clone(before[max(0, len(before)-kept+1):]), state)
	return before
}

// mustBeFault fails the test where an error is anything but a refusal.
func mustBeFault(t *testing.T, err error) {
	t.Helper()
	var fault *spec.Fault
	if err != nil && !errors.As(err, &fault) {
		t.Fatalf("the reference could not be asked: %v", err)
	}
}

// mutated returns the state of a snapshot after one change somewhere in it. Mostly no session could have written it.
func (d dice) mutated(v spec.Value) spec.Value {
	inside := len(v.Items()) > 0 || len(v.Members()) > 0
	if inside && !d.oneIn(4) {
		return d.mutatedInside(v)
	}
	switch v.Kind() {
	case spec.Object:
		return d.mutatedObject(v)
	case spec.Array:
		return d.mutatedArray(v)
	case spec.Number:
		n, _ := v.Int()
		return pick(d, []spec.Value{
			spec.IntValue(n + 1), spec.IntValue(n - 1), spec.IntValue(-1), spec.IntValue(largestCount), spec.IntValue(largestCount + 1),
			d.wrong(spec.Number),
		})
	case spec.Bool:
		return pick(d, []spec.Value{spec.BoolValue(!v.IsTrue()), d.wrong(spec.Bool)})
	case spec.String:
		text, _ := v.Str()
		return pick(d, []spec.Value{spec.StringValue(""), spec.StringValue(text + "x"), spec.StringValue("bash"), d.wrong(spec.String)})
	default:
		return d.wrong(v.Kind())
	}
}

func (d dice) mutatedInside(v spec.Value) spec.Value {
	if n := len(v.Items()); n > 0 {
		items := slices.Clone(v.Items())
		i := d.below(min(n, maxSides))
		items[i] = d.mutated(items[i])
		return spec.ArrayValue(items...)
	}
	m := pick(d, v.Members())
	return v.With(m.Name, d.mutated(m.Value))
}

func (d dice) mutatedObject(v spec.Value) spec.Value {
	switch {
	case len(v.Members()) > 0 && d.maybe():
		return v.Without(pick(d, v.Members()).Name)
	case d.maybe():
		return v.With("more", spec.IntValue(1))
	default:
		return d.wrong(spec.Object)
	}
}

func (d dice) mutatedArray(v spec.Value) spec.Value {
	switch n := len(v.Items()); {
	case n > 0 && d.maybe():
		return spec.ArrayValue(append(slices.Clone(v.Items()), v.Items()[0])...)
	case n > 0 && d.maybe():
		return spec.ArrayValue(v.Items()[1:]...)
	case n > 0 && d.maybe():
		return spec.ArrayValue(slices.Repeat(v.Items(), 1+1024/n)...)
	default:
		return d.wrong(spec.Array)
	}
}
