package conformance_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// casesOf returns the built-in cases of a detector.
func casesOf(t *testing.T, detector spec.DetectorID) []cases.Case {
	t.Helper()
	all, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	selected, err := cases.Selection{Detectors: []string{string(detector)}}.Select(all)
	if err != nil {
		t.Fatal(err)
	}
	return selected
}

// host returns a port of one detector that offers no optional feature.
func host(impl spec.Implementation, features ...spec.Feature) spec.Port {
	impl.Features = features
	return spec.NewHost(spec.Description{Name: "broken", Version: "1", Language: "go"}, impl)
}

// with returns an implementation whose detectors are made from a changed configuration.
func with(impl spec.Implementation, change func(spec.Value) spec.Value) spec.Implementation {
	made := impl.New
	impl.New = func(r spec.Reading, config spec.Value) (spec.Detector, error) {
		if _, err := made(r, config); err != nil {
			return nil, err
		}
		return made(r, change(config))
	}
	return impl
}

// defaulting sets a member of the configuration where there is none.
func defaulting(name string, value int) func(spec.Value) spec.Value {
	return func(config spec.Value) spec.Value {
		if config.IsAbsent() {
			config = spec.ObjectValue()
		}
		if !config.Get(name).IsAbsent() {
			return config
		}
		return config.With(name, spec.IntValue(value))
	}
}

// forgetful goes back to the default configuration on reset.
type forgetful struct {
	spec.Detector
	impl spec.Implementation
}

func (f *forgetful) Reset() {
	d, err := f.impl.New(f.impl.Readings[0], spec.Value{})
	if err != nil {
		panic(err)
	}
	f.Detector = d
}

func resetToDefaults(impl spec.Implementation) spec.Implementation {
	changed := impl
	changed.New = func(r spec.Reading, config spec.Value) (spec.Detector, error) {
		d, err := impl.New(r, config)
		return &forgetful{d, impl}, err
	}
	return changed
}

// naive is a history detector with a rule of its own.
type naive struct {
	threshold, size int
	calls           []string
	text            func(spec.Value) string
	count           func(calls []string) int
}

func (n *naive) Reset() { n.calls = nil }

func (n *naive) Observe(e spec.Event) spec.Verdict {
	if e.Type != spec.ToolCall {
		return spec.Verdict{}
	}
	n.calls = append(n.calls, e.Tool+":"+n.text(e.Args))
	n.calls = n.calls[max(0, len(n.calls)-n.size):]
	v := spec.Verdict{Count: n.count(n.calls)}
	if v.Count >= n.threshold {
		v.Loop, v.Kind = true, spec.KindRepeat
	}
	return v
}

func naiveHistory(text func(spec.Value) string, count func([]string) int) spec.Implementation {
	impl := reference.Implementation(spec.History)
	made := impl.New
	impl.New = func(r spec.Reading, config spec.Value) (spec.Detector, error) {
		if _, err := made(r, config); err != nil {
			return nil, err
		}
		two := spec.Offer{Detector: spec.History, Settings: []string{"repeat_threshold", "history_size"}}
		s, err := two.Read(r, config)
		return &naive{
			threshold: s.Number("repeat_threshold"), size: s.Number("history_size"), text: text, count: count,
		}, err
	}
	return impl
}

func mostFrequent(calls []string) int {
	most := 0
	counts := map[string]int{}
	for _, c := range calls {
		counts[c]++
		most = max(most, counts[c])
	}
	return most
}

func lastRun(calls []string) int {
	n := 0
	for i := len(calls) - 1; i >= 0 && calls[i] == calls[len(calls)-1]; i-- {
		n++
	}
	return n
}

// TestBrokenPortsAreCaught shows that the suite tells a port with one fault from a good one, and names the clause.
func TestBrokenPortsAreCaught(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		detector spec.DetectorID
		port     spec.Port
		clause   string // the one that the first failure must name first
	}{
		{"history forgets its thresholds on reset", spec.History, host(resetToDefaults(reference.Implementation(spec.History))), "HI-5"},
		{"history hashes unsorted keys", spec.History, host(naiveHistory(spec.Value.String, mostFrequent)), "HI-7"},
		{"history counts only consecutive repeats", spec.History, host(naiveHistory(spec.Value.Canonical, lastRun)), "HI-12"},
		{"fingerprint forgets its thresholds on reset", spec.Fingerprint, host(resetToDefaults(reference.Implementation(spec.Fingerprint))), "FP-5"},
		{"fingerprint has a window of 9", spec.Fingerprint, host(with(reference.Implementation(spec.Fingerprint), defaulting("window", 9))), "FP-16"},
		{"fingerprint's fuzzy tier fires at 3", spec.Fingerprint, host(with(reference.Implementation(spec.Fingerprint), defaulting("fuzzy_threshold", 3))), "FP-19"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			report, err := conformance.Run(t.Context(), test.port, casesOf(t, test.detector), conformance.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := report.Outcome(); got != conformance.NotConformant {
				t.Fatalf("the outcome is %s, want %s", got, conformance.NotConformant)
			}
			if first := report.ByClause()[0]; first.Clause != test.clause {
				t.Errorf("the first failures, %d of them and %s before all, are explained by %s, want %s",
					len(first.Results), first.Results[0].Case, first.Clause, test.clause)
			}
		})
	}
}

// ExampleRun judges a detector in Go, in this process.
func ExampleRun() {
	all, err := cases.All()
	if err != nil {
		panic(err)
	}
	selected, err := cases.Selection{Detectors: []string{"ralph"}}.Select(all)
	if err != nil {
		panic(err)
	}
	report, err := conformance.Run(context.Background(), reference.Port(), selected, conformance.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(report.Outcome())
	// Output: conformant
}
