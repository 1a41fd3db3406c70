package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lab/score"
	"github.com/loopstone/loopstone/spec"
)

// TestARecordedCaseIsACase: what replay --case prints, whatever word the user gives it for a name, is a case that test --cases
// runs.
func TestARecordedCaseIsACase(t *testing.T) {
	t.Parallel()
	recorded := filepath.Join("..", "..", "recordings", "failing-build.jsonl")
	printed, outcome := run(t, "", nil, "replay", "--detector", "@cline,history", "--case", "stuck-in-a-build", recorded)
	if outcome != conformance.Conformant {
		t.Fatalf("replay is %s:\n%s", outcome, printed)
	}
	suite := t.TempDir()
	write(t, suite, "recorded.yaml", printed)
	out, outcome := run(t, "", referencePort(t), "test", "--cases", suite, "--no-properties")
	if outcome != conformance.Conformant || !strings.Contains(out, "1 case") {
		t.Errorf("test is %s:\n%s\n%s", outcome, out, printed)
	}
}

// TestMostDetectorsAreSilentOnHealthyRuns: by default, replay runs detectors that mostly report the recordings that loop,
// and mostly not the others.
func TestMostDetectorsAreSilentOnHealthyRuns(t *testing.T) {
	t.Parallel()
	folder := filepath.Join("..", "..", "recordings")
	corpus, err := score.Open(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	loops := map[string]bool{} // by the names of runs
	err = corpus.Each(t.Context(), func(run *score.Run) error {
		loops[strings.TrimSuffix(filepath.Base(run.Name), ".jsonl")] = run.Loop == score.Yes
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	out, _ := run(t, "", nil, "replay", "--json", folder)
	replayed, err := spec.ParseValue([]byte(out))
	if err != nil {
		t.Fatal(err)
	}
	observing, alarms := map[bool]int{}, map[bool]int{}
	for _, run := range replayed.Get("runs").Items() {
		name, _ := run.Get("name").Str()
		isLoop, labelled := loops[name]
		if !labelled {
			t.Errorf("%s has no label", name)
		}
		for _, lane := range run.Get("lanes").Items() {
			if judged, _ := lane.Get("judged").Int(); judged > 0 {
				observing[isLoop]++
			}
			if !lane.Get("first").IsAbsent() {
				alarms[isLoop]++
			}
		}
	}
	if healthy, looping := 2*alarms[false] < observing[false], 2*alarms[true] > observing[true]; !healthy || !looping {
		t.Errorf("alarms %v, of detectors that observe %v, by whether the run loops", alarms, observing)
	}
}
