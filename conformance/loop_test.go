package conformance

import (
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// portWith returns a port that offers nothing but that.
func portWith(offers ...spec.Offer) spec.Description { return spec.Description{Detectors: offers} }

// TestEveryDetectorHasALoopForExchanges: whatever a port offers, exchanges see what its sessions remember.
func TestEveryDetectorHasALoopForExchanges(t *testing.T) {
	t.Parallel()
	for _, d := range spec.Detectors() {
		for _, reading := range d.Readings {
			l := loopFor(portWith(spec.Offer{Detector: d.ID, Readings: []spec.Reading{reading}}), nil)
			if l == nil || l.detector != d.ID || l.reading != reading || len(l.events) < 2 {
				t.Errorf("%s, %s: %v", d.ID, reading, l)
			}
		}
	}
}

// TestALoopForExchangesIsOneThatThePortReports: a port that lacks the rule or the setting is not asked for it.
func TestALoopForExchangesIsOneThatThePortReports(t *testing.T) {
	t.Parallel()
	exact := spec.Offer{
		Detector: spec.Fingerprint, Readings: []spec.Reading{spec.Text},
		Rules: []spec.VerdictKind{"exact"}, Settings: []string{},
	}
	if l := loopFor(portWith(exact), nil); l == nil || len(l.config.Members()) > 0 {
		t.Errorf("a port without settings: %v", l)
	}
	none, swarm := exact, spec.Offer{Detector: spec.Swarm, Readings: []spec.Reading{spec.Text}}
	none.Rules = []spec.VerdictKind{"other"}
	if l := loopFor(portWith(none, swarm), nil); l == nil || l.detector != spec.Swarm {
		t.Errorf("a port whose second detector has a loop: %v", l)
	}
	check := &adapterCheck{loop: loopFor(portWith(none), nil)}
	last := cases.ExchangeStep{Send: `{"events":"` + cases.LastPlaceholder + `"}`}
	if r := check.check(t.Context(), cases.Case{Exchange: []cases.ExchangeStep{last}}); r.Status != Skipped || r.Reason != noLoop {
		t.Errorf("a port without a loop: %s, %s", r.Status, r.Reason)
	}
}

// TestALoopForExchangesIsNoneAlone shows which cases are taken.
func TestALoopForExchangesIsNoneAlone(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason, steps string
		events        int
	}{
		{"the last is a loop after its equal", "[{output: {text: b}, times: 2, expect: {loop: false}}, {output: {text: b}, expect: {loop: true}}]", 3},
		{"nothing is said of the first", "[{output: {text: b}}, {output: {text: b}, expect: {loop: true}}]", 0},
		{"the first is a loop", "[{output: {text: b}, times: 2, expect: {loop: true}}]", 0},
		{"the last is another event", "[{output: {text: b}, expect: {loop: false}}, {output: {text: a}, expect: {loop: true}}]", 0},
		{"there is no loop", "[{output: {text: b}, times: 2, expect: {loop: false}}]", 0},
		{"it is the loop after a reset", "[{output: {text: b}, expect: {loop: false}}, {reset: true}, {output: {text: b}, expect: {loop: true}}]", 0},
		{"it is long", "[{output: {text: b}, times: 20, expect: {loop: false}}, {output: {text: b}, expect: {loop: true}}]", 0},
		{"it is one event", "[{output: {text: b}, expect: {loop: true}}]", 0},
	} {
		text := "detector: history\ncases:\n  - id: history-x\n    title: T\n    clauses: [PR-1]\n    source: silent\n    why: W\n    steps: " + test.steps
		parsed, err := cases.Parse("history/test.yaml", []byte(text))
		if err != nil {
			t.Fatalf("%s: %v", test.reason, err)
		}
		events, is := loopIn(parsed[0])
		if is != (test.events > 0) || is && len(events) != test.events {
			t.Errorf("%s: %v, %d events", test.reason, is, len(events))
		}
	}
}
