package report

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

// unseen counts, among the known failures, those that nobody has looked at.
const unseen conformance.Status = "not looked at"

// withCounts is a report with that many results of each status, out of a suite with further cases.
func withCounts(counts map[conformance.Status]int, further int) *conformance.Report {
	r := &conformance.Report{Traces: 100, Settings: conformance.Settings{Seeds: []int64{conformance.FixedSeed, 4711}}}
	for _, s := range statuses {
		for range counts[s] {
			r.Results = append(r.Results, conformance.Result{Status: s})
		}
	}
	for i := range counts[unseen] {
		r.Results[slices.IndexFunc(r.Results, func(r conformance.Result) bool { return r.Status == conformance.Known })+i].Excuse = conformance.NotLookedAt
	}
	r.Suite.Selected = len(r.Results)
	r.Suite.Total = r.Suite.Selected + further
	return r
}

func TestBadgeSaysWhatWasLeftOut(t *testing.T) {
	type counts = map[conformance.Status]int
	tests := []struct {
		reason  string
		counts  counts
		further int
		message string
		color   string
	}{
		{"everything passed", counts{"passed": 61}, 0, "61/61 conformant", "brightgreen"},
		{"a skip is no pass", counts{"passed": 55, "skipped": 6}, 0, "55/55 conformant, 6 not checked", "green"},
		{"a selection is not the suite", counts{"passed": 55}, 6, "55/55 conformant, 6 not checked", "green"},
		{"a known failure is no pass", counts{"passed": 60, "known": 1}, 0, "60/61 conformant", "green"},
		{"an excuse that nobody has thought about is none", counts{"passed": 60, "known": 1, unseen: 1}, 0, "60/61 conformant, 1 not looked at", "yellow"},
		{"the port is wrong", counts{"passed": 60, "failed": 1, "skipped": 2}, 0, "60/61 passed, 2 not checked", "red"},
		{"the adapter is wrong, so no number can be trusted", counts{"passed": 60, "broken": 1}, 0, "adapter at fault", "orange"},
		{"nobody knows", counts{"passed": 60, "undecided": 1}, 0, "undecided", "lightgrey"},
		{"nothing was checked", counts{"skipped": 61}, 0, "undecided", "lightgrey"},
		{"nothing was there", counts{}, 0, "undecided", "lightgrey"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			var got shield
			if err := json.Unmarshal(rendered(t, "badge", withCounts(test.counts, test.further), Options{}), &got); err != nil {
				t.Fatal(err)
			}
			if want := (shield{1, "loopstone", test.message, test.color}); got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestBadgeOfAPortThatHasLessSaysWhatItHas(t *testing.T) {
	t.Parallel()
	r := withCounts(map[conformance.Status]int{"passed": 41, "skipped": 100}, 0)
	r.Port.Detectors = []spec.Offer{{Detector: spec.Fingerprint, Rules: []spec.VerdictKind{spec.KindExact}}}
	if got, color := badgeMessage(r); got != "fingerprint: exact; 41/41 conformant, 100 not checked" || color != "green" {
		t.Errorf("got %q, %s", got, color)
	}
	r = withCounts(map[conformance.Status]int{"passed": 61}, 0)
	r.Port.Detectors = []spec.Offer{{Detector: spec.Ralph, Members: []string{"loop"}}}
	if got, color := badgeMessage(r); got != "61/61 conformant" || color != "green" {
		t.Errorf("verdicts that are not compared whole: got %q, %s, want green", got, color)
	}
}

// TestNoBadgeIsGreenWithoutARandomSeed: a port may have learned the verdicts on all the other traces.
func TestNoBadgeIsGreenWithoutARandomSeed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason string
		change func(*conformance.Report)
		want   string
	}{
		{"a random seed beside the fixed one", func(*conformance.Report) {}, "61/61 conformant"},
		{
			"the fixed seed alone", func(r *conformance.Report) { r.Settings.Seeds = []int64{conformance.FixedSeed} },
			"61/61 conformant, no random seed",
		},
		{
			"no generated traces", func(r *conformance.Report) { r.Traces, r.Settings.Seeds = 0, nil },
			"61/61 conformant, no random seed",
		},
		{"no law was selected", func(r *conformance.Report) { r.Traces = 0 }, "61/61 conformant, no random seed"},
	} {
		r := withCounts(map[conformance.Status]int{"passed": 61}, 0)
		test.change(r)
		isGreen := !strings.HasSuffix(test.want, "seed")
		if got, color := badgeMessage(r); got != test.want || (color == "brightgreen") != isGreen || !isGreen && color != "yellow" {
			t.Errorf("%s: got %q, %s, want %q", test.reason, got, color, test.want)
		}
	}
}

// TestBadgeSaysWhoseRulesAndWhoseTests: what an adapter passes says nothing of its detectors, and what the authors wrote
// down themselves nothing of the specification.
func TestBadgeSaysWhoseRulesAndWhoseTests(t *testing.T) {
	t.Parallel()
	r := ownSample()
	const rules = `@mine, own rules {"rules":[{"name":"mine","same":{"results":"text"},"rungs":…: `
	if got, color := badgeMessage(r); got != rules+"6/6 conformant, 3/3 of the protocol" || color != "green" {
		t.Errorf("own rules: got %q, %s", got, color)
	}
	r.Port.Detectors[1] = r.Port.Detectors[0]
	r.Port.Detectors[1].Detector = "@ours"
	if got, _ := badgeMessage(r); got != "own rules of 2 detectors: 6/6 conformant, 3/3 of the protocol" {
		t.Errorf("two of them: got %q", got)
	}
	profile := spec.Offer{Detector: "@roo", Readings: []spec.Reading{spec.Code}, Fixed: spec.MustParse(`{"rules":[]}`)}
	r.Port.Detectors = []spec.Offer{profile}
	if got, color := badgeMessage(r); got != "6/6 conformant, 3/3 of the protocol" || color != "brightgreen" {
		t.Errorf("a profile that declares its config is no port of its own rules: got %q, %s", got, color)
	}
}
