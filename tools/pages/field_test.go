package pages

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/testing/golden"
)

func TestFieldIsUpToDate(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(corpora); err != nil {
		t.Skipf("the recorded runs are not there, docs/results.md says where to get them: %v", err)
	}
	got, err := Field(t.Context(), filepath.Join(corpora, "sola-st"))
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join("..", "..", "docs", "dev", "field.md"), string(got))
}

// TestWhoSaysWhatOfASituation holds the situations against the detectors without the corpora.
func TestWhoSaysWhatOfASituation(t *testing.T) {
	t.Parallel()
	c, err := read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Situations) != 20 || c.Stuck() != 12 {
		t.Errorf("there are %d situations, %d of them loops", len(c.Situations), c.Stuck())
	}
	for _, tt := range []struct{ situation, detector, want, reason string }{
		{"one per reply", "@opencode", "–", "it looks at one message only"},
		{"one reply", "@opencode", "3", "it looks at one message only"},
		{"one per user message", "@hermes", "–", "a user's message starts it afresh"},
		{"one per user message", "@loopstone", "3", "nothing starts it afresh"},
		{"a second loop", "@gemini-cli", "5", "it speaks of each cycle"},
		{"a second loop", "@goose", "–", "its agent ignores the count of repetitions"},
		{"one error", "@goose", "4", "the call after three equal errors is refused"},
		{"A B", "@cline", "–", "it counts runs only"},
		{"A B", "@loopstone", "3", "it counts laps"},
		{"A B", "crow text", "6", "it looks at whether six steps alternate"},
		{"new errors", "@openhands", "3", "errors need not be equal"},
		{"new errors", "@loopstone", "8", "eight equal calls are enough"},
		{"now and then", "@attocode", "3", "the window of twenty holds four"},
		{"a wait in turns", "@hermes", "–", "the results differ"},
		{"words alone", "@openhands", "3", "three messages are a monologue"},
		{"edit and run", "@browser-use", "warn", "it counts calls, whatever they return"},
		{"edit and run", "@loopstone", "–", "the results differ"},
		{"a build", "@gemini-cli", "stop", "the second hint is a stop"},
		{"a quiet build", "@loopstone", "stop", "equal results are all that it sees"},
		{"batch edits", "@loopstone", "–", "the arguments differ"},
		{"a long file", "@deer-flow", "stop", "of the arguments, the path alone counts"},
		{"asked again", "@gemini-cli", "–", "a user's message starts it afresh"},
	} {
		i := slices.IndexFunc(c.Rows, func(r row) bool { return r.Name == tt.detector })
		k := slices.IndexFunc(c.Situations, func(s Situation) bool { return s.Name == tt.situation })
		if i < 0 || k < 0 {
			t.Fatalf("%s: there is no detector %s, or no situation %s", tt.reason, tt.detector, tt.situation)
		}
		if got := c.Rows[i].Answers[k].String(); got != tt.want {
			t.Errorf("%s, %s: got %s, want %s: %s", tt.situation, tt.detector, got, tt.want, tt.reason)
		}
	}
}

// TestEachSituationTellsDetectorsApart: one that all of them answer alike helps nobody to choose, unless users
// complain.
func TestEachSituationTellsDetectorsApart(t *testing.T) {
	t.Parallel()
	c, err := read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for k, s := range c.Situations {
		first := c.Rows[0].Answers[k].Right()
		if len(s.Threads) == 0 && !slices.ContainsFunc(c.Rows, func(r row) bool { return r.Answers[k].Right() != first }) {
			t.Errorf("all detectors answer alike about %s", s.Name)
		}
	}
}

// TestCasesSayWhatProjectsDemand: a case that the page names is one of the suite.
func TestCasesSayWhatProjectsDemand(t *testing.T) {
	t.Parallel()
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, c := range suite {
		known[c.ID] = true
	}
	for _, d := range demands {
		if d.Said == 0 || len(d.Cases) == 0 || (d.Outside > 0) != (d.About != "") || (d.Streams > 0) != (d.Streamed != nil) {
			t.Errorf("%s: %d tests are said by %d cases, %d are outside: %s", d.Project, d.Said, len(d.Cases), d.Outside,
				d.About)
		}
		for prefix, ids := range map[string][]string{"composed-profile-": d.Cases, "stream-profile-": d.Streamed} {
			for _, id := range ids {
				if !known[prefix+id] {
					t.Errorf("%s: there is no case %s%s", d.Project, prefix, id)
				}
			}
		}
	}
}
