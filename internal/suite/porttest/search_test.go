package porttest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// tiring is a port whose sessions report no loop after so many events: generated traces have fewer pieces of text, and
// the law stream-cuts makes more of them.
type tiring struct {
	spec.Port
	after int
}

func (p tiring) Open(ctx context.Context, d spec.DetectorID, r spec.Reading, config spec.Value) (spec.Session, error) {
	s, err := p.Port.Open(ctx, d, r, config)
	return &tiringSession{Session: s, after: p.after}, err
}

type tiringSession struct {
	spec.Session
	told, after int
}

func (s *tiringSession) Reset(ctx context.Context) error {
	s.told = 0
	return s.Session.Reset(ctx)
}

func (s *tiringSession) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	verdicts, err := s.Session.Observe(ctx, events)
	for i := range verdicts {
		if s.told++; s.told > s.after {
			verdicts[i] = spec.ObjectValue(spec.Member{Name: "loop", Value: spec.BoolValue(false)})
		}
	}
	return verdicts, err
}

// TestASearchDoesNotAskTheLawThatAProfileLeavesOut: the original of @gemini-cli-stream depends on where its text is cut,
// which the profile states; a port that breaks that law alone is accused of nothing.
func TestASearchDoesNotAskTheLawThatAProfileLeavesOut(t *testing.T) {
	if testing.Short() {
		t.Skip("it searches for seconds: make long runs it")
	}
	t.Parallel()
	p, err := profile.ByName("gemini-cli-stream")
	if err != nil {
		t.Fatal(err)
	}
	port := tiring{reference.Port(p.Offer()), 250}
	description, err := port.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := Search{Detectors: []spec.DetectorID{p.ID()}}
	if err := s.choose(t.Context(), description); err != nil {
		t.Fatal(err)
	}
	s.Seed, s.Pairs = 1, []fuzz.Pair{{Port: port, Oracle: s.Reference}}
	piece := spec.MustParse(`{"type":"delta","text":"I look at the file that the test names; then I run it."}`)
	long := laws.Trace{Detector: p.ID(), Reading: spec.Code, Steps: slices.Repeat([]laws.Step{{Event: piece}}, 15)}
	cuts, _ := laws.LawByID("stream-cuts")
	if err := cuts.Check(t.Context(), port, long); err == nil {
		t.Fatal("the port does not break stream-cuts")
	}
	for s.For = 2 * time.Second; s.For < time.Hour; s.For *= 4 { // the machine may be busy
		found, progress, err := s.Run(t.Context())
		if err != nil || len(found) > 0 {
			t.Fatalf("%v, %v: a law that is not asked is accused", found, err)
		}
		if progress.Checks >= len(s.Laws) {
			return
		}
	}
	t.Error("no round was played to its end")
}
