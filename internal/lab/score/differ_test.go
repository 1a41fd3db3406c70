package score

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/guard/golden"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

func side(d spec.DetectorID, r spec.Reading, config string) Contender {
	c := Contender{Port: reference.Port(), Detector: d, Reading: r}
	if config != "" {
		c.Config = spec.MustParse(config)
		c.Shown = c.Config
	}
	return c
}

// searched looks for differences in generated traces, and in runs where some are given.
func searched(t *testing.T, a, b Contender, runs map[string][]spec.Value) (*Differ, []Difference) {
	t.Helper()
	s := NewDiffer(a, b)
	if err := s.Generated(context.Background(), 2000, 1); err != nil {
		t.Fatal(err)
	}
	for name, events := range runs {
		if err := s.Run(context.Background(), name, events); err != nil {
			t.Fatal(err)
		}
	}
	list, err := s.Differences(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return s, list
}

func TestReportsOfDifferences(t *testing.T) {
	t.Parallel()
	status := spec.MustParse(`{"type":"tool_call","tool":"status","args":{"job":12}}`)
	other := spec.MustParse(`{"type":"tool_call","tool":"list","args":{}}`)
	runs := map[string][]spec.Value{"a run": {other, status, other, other, status, status, other, status}}
	s, list := searched(t, side("fingerprint", "text", ""), side("history", "code", `{"repeat_threshold":4}`), runs)
	for name, write := range map[string]func(*bytes.Buffer) error{
		"text-60.txt":  func(b *bytes.Buffer) error { return s.WriteText(b, list, 60) },
		"text-120.txt": func(b *bytes.Buffer) error { return s.WriteText(b, list, 120) },
		"report.json":  func(b *bytes.Buffer) error { return s.WriteJSON(b, list) },
	} {
		t.Run(name, func(t *testing.T) {
			var got bytes.Buffer
			if err := write(&got); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, filepath.Join("testdata", "differ", name), got.String())
		})
	}
}

// TestDifferencesAreMinimal takes each event out of each trace that was found: the difference must be gone.
func TestDifferencesAreMinimal(t *testing.T) {
	t.Parallel()
	s, list := searched(t, side("crow", "code", ""), side("fingerprint", "text", ""), nil)
	if len(list) < 3 {
		t.Fatalf("want differences by several rules, got %d", len(list))
	}
	for _, d := range list {
		for i := range d.Events {
			rest := slices.Delete(slices.Clone(d.Events), i, i+1)
			speaker, verdict, err := s.speaker(context.Background(), rest)
			if err != nil {
				t.Fatal(err)
			}
			if speaker >= 0 && s.sides[speaker].Name() == d.Speaks.Name() && kindOf(verdict) == d.Kind {
				t.Errorf("%s alone speaks (%s) without event %d, too: %v", d.Speaks.Name(), d.Kind, i, d.Events)
			}
		}
	}
}

func TestThresholdsDifferByOneCall(t *testing.T) {
	t.Parallel()
	_, list := searched(t, side("history", "code", `{"repeat_threshold":4}`),
		side("history", "code", `{"repeat_threshold":5}`), nil)
	if len(list) != 1 || len(list[0].Events) != 4 || !strings.Contains(list[0].Speaks.Name(), "4") {
		t.Errorf("want four calls on which only the threshold 4 speaks, got %v", list)
	}
}

func TestADetectorDoesNotDifferFromItself(t *testing.T) {
	t.Parallel()
	s, list := searched(t, side("crow", "text", ""), side("crow", "text", ""), nil)
	if len(list) > 0 || s.Traces == 0 {
		t.Errorf("after %d traces: %v", s.Traces, list)
	}
}

// TestARunKeepsItsEvents is why runs are not simplified: what a person reads then has happened.
func TestARunKeepsItsEvents(t *testing.T) {
	t.Parallel()
	var run []spec.Value
	for _, word := range strings.Fields("make edit make look edit make make edit make") {
		run = append(run, spec.MustParse(`{"type":"tool_call","tool":"bash","args":{"command":"`+word+`"}}`))
	}
	s := NewDiffer(side("history", "code", ""), side("fingerprint", "text", ""))
	if err := s.Run(context.Background(), "a run", run); err != nil {
		t.Fatal(err)
	}
	list, err := s.Differences(context.Background())
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
	s := NewDiffer(side(spec.History, spec.Code, ""), side(spec.Crow, spec.Text, ""))
	if err := s.Generated(ctx, 100, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("generated traces: got %v", err)
	}
	if err := s.Run(ctx, "a run", nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a run: got %v", err)
	}
	if err := s.Generated(t.Context(), 100, 1); err != nil || len(s.order) == 0 {
		t.Fatalf("%v, %d differences", err, len(s.order))
	}
	if _, err := s.Differences(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("shrinking: got %v", err)
	}
}
