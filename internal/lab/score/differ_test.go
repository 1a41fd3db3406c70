package score

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/lab/alarm"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

func side(d spec.DetectorID, r spec.Reading) Contender {
	return Contender{Observer: alarm.Observer{Port: reference.Port(), Detector: d, Reading: r}}
}

// TestDifferencesAreMinimal takes each event out of each trace that was found: the difference must be gone.
func TestDifferencesAreMinimal(t *testing.T) {
	t.Parallel()
	s := NewDiffer(side("crow", "code"), side("fingerprint", "text"))
	if err := s.Generated(t.Context(), 2000, 1); err != nil {
		t.Fatal(err)
	}
	list, err := s.Differences(t.Context())
	if err != nil || len(list) < 3 {
		t.Fatalf("want differences by several rules, got %d, %v", len(list), err)
	}
	for _, d := range list {
		for i := range d.Events {
			rest := slices.Delete(slices.Clone(d.Events), i, i+1)
			speaker, spoke, err := s.speaker(t.Context(), rest)
			if err != nil {
				t.Fatal(err)
			}
			if speaker >= 0 && s.sides[speaker].Name() == d.Reports && spoke.Kind == d.Kind {
				t.Errorf("%s alone speaks (%s) without event %d, too: %v", d.Reports, d.Kind, i, d.Events)
			}
		}
	}
}

// TestARunKeepsItsEvents is why runs are not simplified: what a person reads then has happened.
func TestARunKeepsItsEvents(t *testing.T) {
	t.Parallel()
	var run []spec.Value
	for _, word := range strings.Fields("make edit make look edit make make edit make") {
		run = append(run, spec.MustParse(`{"type":"tool_call","tool":"bash","args":{"command":"`+word+`"}}`))
	}
	s := NewDiffer(side("history", "code"), side("fingerprint", "text"))
	if err := s.Run(t.Context(), "a run", run); err != nil {
		t.Fatal(err)
	}
	list, err := s.Differences(t.Context())
	if err != nil || len(list) != 1 {
		t.Fatalf("want one difference, got %v, %v", list, err)
	}
	at := 0
	for _, event := range list[0].Events {
		for at < len(run) && !run[at].Equal(event) {
			at++
		}
		at++
	}
	if at > len(run) || len(list[0].Events) != 4 {
		t.Errorf("want 4 events of the run in their order, got %v", list[0].Events)
	}
}

// TestAnInterruptedSearchEnds: the reference, which runs within this process, does not look at the context itself.
func TestAnInterruptedSearchEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := NewDiffer(side(spec.History, spec.Code), side(spec.Crow, spec.Text))
	if err := s.Generated(ctx, 100, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("generated traces: got %v", err)
	}
	if err := s.Run(ctx, "a run", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a run: got %v", err)
	}
	if err := s.Generated(t.Context(), 100, 1); err != nil || len(s.found) == 0 {
		t.Fatalf("%v, %d differences", err, len(s.found))
	}
	if _, err := s.Differences(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("shrinking: got %v", err)
	}
}

// TestEachGeneratedTraceIsCounted: what both refuse is told from what one of them refuses, and nothing is left over.
func TestEachGeneratedTraceIsCounted(t *testing.T) {
	t.Parallel()
	const traces = 300
	s := NewDiffer(side("history", "code"), side("history", "code"))
	if err := s.Generated(t.Context(), traces, 1); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := s.WriteText(&b, nil, 100); err != nil {
		t.Fatal(err)
	}
	if s.Both == 0 || s.Both != s.Refused || s.Empty == 0 || s.Traces+s.Refused+s.Empty != traces {
		t.Errorf("shown %d, refused %d, by both %d, empty %d", s.Traces, s.Refused, s.Both, s.Empty)
	}
	if said := b.String(); !strings.Contains(said, "that both refuse; ") || strings.Contains(said, "one of them") {
		t.Errorf("got %s", said)
	}
}
