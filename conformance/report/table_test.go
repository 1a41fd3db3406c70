package report

import (
	"strings"
	"testing"

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
	for _, test := range []struct {
		reason string
		suite  conformance.SuiteInfo
		want   bool
	}{
		{"the whole built-in suite", conformance.SuiteInfo{Digest: table.Digest, Selected: 2, Total: 2}, true},
		{"a part of it", conformance.SuiteInfo{Digest: table.Digest, Selected: 1, Total: 2}, false},
		{"another suite", conformance.SuiteInfo{Digest: "another", Selected: 2, Total: 2}, false},
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
			r := &conformance.Report{Suite: test.suite, Results: []conformance.Result{
				passed, failed, skipped, refusal, law,
			}}
			if err := Write("text", &b, r, sampleOptions()); err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(b.String(), "50 %   "+percent(best.Percent())); got != test.want {
				t.Errorf("score and floor are shown: %t, want %t:\n%s", got, test.want, b.String())
			}
		})
	}
}
