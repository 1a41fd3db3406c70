package conformance_test

import (
	"testing"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

// limit is a detector in Go: it says that there is a loop where a tool was called too often.
type limit struct {
	threshold int
	calls     map[string]int
}

// newLimit reads the configuration; what the detector does not know is refused.
func newLimit(_ spec.Reading, config spec.Value) (spec.Detector, error) {
	l := &limit{threshold: 3}
	l.Reset()
	return l, spec.ReadConfig(config, map[string]spec.Setting{"repeat_threshold": spec.AtLeast(1, &l.threshold)})
}

// Reset implements [spec.Detector].
func (l *limit) Reset() { l.calls = map[string]int{} }

// Observe implements [spec.Detector].
func (l *limit) Observe(e spec.Event) spec.Verdict {
	if e.Type != spec.ToolCall {
		return spec.Verdict{}
	}
	l.calls[e.Tool+e.Args.Canonical()]++
	count := l.calls[e.Tool+e.Args.Canonical()]
	return spec.Verdict{Loop: count >= l.threshold, Kind: spec.KindRepeat, Count: count}
}

// A detector in Go is judged by a test of its own package. Its failures name the clause that is broken and the command
// that repeats them; go test -run TestConformance/history/history-window-forgets selects one case.
func ExampleTest() {
	port := spec.NewHost(
		spec.Description{Name: "limit", Version: "1.0", Language: "go"},
		spec.Implementation{Offer: spec.Offer{Detector: spec.History, Readings: []spec.Reading{spec.Code}}, New: newLimit},
	)
	TestConformance := func(t *testing.T) { // in your package: func TestConformance(t *testing.T) {
		conformance.Test(t, port, conformance.Only(conformance.Selection{Detectors: []string{"history"}}))
	}
	_ = TestConformance
}
