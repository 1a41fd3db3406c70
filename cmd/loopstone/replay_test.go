package main

import (
	"fmt"
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

// TestAConfigurationThatIsRefusedRaisesNoAlarm: a detector that cannot judge is an error, not a run without an alarm.
func TestAConfigurationThatIsRefusedRaisesNoAlarm(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	rules := write(t, folder, "rules.json", `{"rules":[{"rungs":[{"at":0}]}]}`)
	recordings := filepath.Join("..", "..", "recordings")
	log := filepath.Join(recordings, "failing-build.jsonl")
	try(t, folder, []invocation{
		{"a folder", nil, []string{"replay", "--detector", "history", "--config", `{"at":3}`, recordings}, conformance.Usage, "--config: history: "},
		{"a log that grows", nil, []string{"replay", "--follow", "--detector", "history", "--config", `{"at":3}`, log}, conformance.Usage, "unknown member"},
		{"in the port, too", referencePort(t), []string{"replay", "--detector", "crow", "--reading", "text", "--config", `{"at":3}`, log}, conformance.Usage, "unknown member"},
		{"one of two readings", nil, []string{"replay", "--detector", "crow", "--config", `{"threshold_cycles":3}`, log}, conformance.Usage, "--config: crow text: "},
		{"the other one alone", nil, []string{"replay", "--detector", "crow", "--reading", "code", "--config", `{"threshold_cycles":3}`, log}, conformance.Conformant, ""},
		{"rules to tune", nil, []string{"tune", "--rules", rules, recordings}, conformance.NotDecided, "want an integer of at least 1"},
	})
}

// TestAPageHasAnEndWhateverAPortDeclares: a port may have any number of detectors.
func TestAPageHasAnEndWhateverAPortDeclares(t *testing.T) {
	t.Parallel()
	var offers []string
	for i := range 2000 {
		offers = append(offers, fmt.Sprintf(`{"id":"@x%d","readings":["code"],"features":[]}`, i))
	}
	script := write(t, t.TempDir(), "edit.sed", `1s/"detectors":\[.*\]/"detectors":[`+strings.Join(offers, ",")+`]/`)
	out, outcome := run(t, "", []string{"--", "sh", "-c", `"$0" serve | stdbuf -oL sed -f "$1"`, builtTool, script},
		"replay", filepath.Join("..", "..", "recordings", "failing-build.jsonl"))
	if outcome != conformance.Conformant || !says(out, "and 1950 more: no such detector") {
		t.Errorf("%s, %d bytes: %.3000s", outcome, len(out), out)
	}
}
