package report

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

func TestTheFloorStandsBesideTheScoreOfAWholeRun(t *testing.T) {
	table := cases.PublishedFloor()
	best, ok := table.Score(spec.Crow, spec.Text)
	if !ok {
		t.Fatal("the published floor has no crow")
	}
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	var counted []string
	refused := ""
	for _, c := range suite {
		switch {
		case c.Detector == spec.Crow && c.CountsForScore():
			counted = append(counted, c.ID)
		case c.Detector == spec.Crow:
			refused = c.ID
		}
	}
	floor := "50 %   " + percent(best.Percent())
	for _, test := range []struct {
		reason   string
		suite    conformance.SuiteInfo
		settings conformance.Settings
		offer    spec.Offer
		want     string
	}{
		{"the whole built-in suite", conformance.SuiteInfo{Selected: 2, Total: 2}, conformance.Settings{}, spec.Offer{}, floor},
		{"with a case more than yesterday", conformance.SuiteInfo{Digest: "new", Selected: 3, Total: 3}, conformance.Settings{}, spec.Offer{}, floor},
		{
			"a port that has less",
			conformance.SuiteInfo{Selected: 2, Total: 2},
			conformance.Settings{},
			spec.Offer{Members: []string{"loop"}},
			"50 %   97 %",
		},
		{"a part of it", conformance.SuiteInfo{Selected: 1, Total: 2}, conformance.Settings{}, spec.Offer{}, ""},
		{"another suite", conformance.SuiteInfo{Selected: 2, Total: 2}, conformance.Settings{Folder: "own"}, spec.Offer{}, ""},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			passed := result(counted[0], spec.Crow, spec.Text, "CR-1")
			failed := result(counted[1], spec.Crow, spec.Text, "CR-1")
			failed.Status, failed.Failure = conformance.Failed, &conformance.Failure{}
			skipped := result(counted[2], spec.Crow, spec.Text, "CR-1")
			skipped.Status = conformance.Skipped
			refusal, law := result(refused, spec.Crow, spec.Text, "CR-1"), result("crow-law-prefix", spec.Crow, spec.Text, "PR-15")
			var b strings.Builder
			test.offer.Detector, test.offer.Readings = spec.Crow, []spec.Reading{spec.Text}
			r := &conformance.Report{
				Suite: test.suite, Settings: test.settings, Port: conformance.PortInfo{Detectors: []spec.Offer{test.offer}},
				Results: []conformance.Result{passed, failed, skipped, refusal, law},
			}
			options := sampleOptions()
			options.Floor = func(o spec.Offer) cases.Floor {
				return cases.Floor{Scores: []cases.FloorScore{{Detector: o.Detector, Reading: spec.Text, Passed: 97, Asked: 100}}}
			}
			if err := Write("text", &b, r, options); err != nil {
				t.Fatal(err)
			}
			shown := strings.Contains(b.String(), "floor")
			if shown != (test.want != "") || !strings.Contains(b.String(), test.want) {
				t.Errorf("want %q:\n%s", test.want, b.String())
			}
		})
	}
}

// TestATableFitsATerminal with every column that a table of one port has, and with the longest id that a detector has.
func TestATableFitsATerminal(t *testing.T) {
	t.Parallel()
	long := spec.DetectorID("@" + strings.Repeat("long", 15) + "ids")
	r := part()
	for _, detector := range []spec.DetectorID{spec.Fingerprint, long} {
		for i, status := range statuses {
			one := result("fingerprint-exact-third-identical-call", detector, spec.Code, "FP-18")
			one.Case += strings.Repeat("x", i)
			one.Status, one.Failure = status, &conformance.Failure{}
			r.Results = append(r.Results, one)
		}
		passed := result("fingerprint-exact-third-identical-call", detector, spec.Text, "FP-18")
		r.Results = append(r.Results, passed)
		r.Port.Detectors = append(r.Port.Detectors, spec.Offer{Detector: detector, Readings: []spec.Reading{spec.Code, spec.Text}})
	}
	r.Settings = conformance.Settings{}
	p := &page{r: r, options: sampleOptions()}
	p.table()
	for _, line := range p.lines {
		if n := utf8.RuneCountInString(line); n > tableWidth {
			t.Errorf("%d characters: %s", n, line)
		}
	}
	if head := strings.Join(strings.Fields(p.lines[0]), " "); head != "detector reading passed failed broken known no answer not checked score floor" {
		t.Errorf("the head is %q", head)
	}
}
