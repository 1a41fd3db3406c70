package pages

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/loopstone/loopstone/internal/guard/golden"
)

func TestFieldIsUpToDate(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(corpora); err != nil {
		t.Skipf("the recorded runs are not there, docs/real-runs.md says where to get them: %v", err)
	}
	got, err := Field(t.Context(), filepath.Join(corpora, "sola-st"))
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join("..", "..", "..", "docs", "field.md"), string(got))
}

// TestWhoFallsForWhat holds the complaints against the profiles without the corpora: each is one of somebody, but for
// the cost of a long run of equal calls, and each profile speaks of that.
func TestWhoFallsForWhat(t *testing.T) {
	t.Parallel()
	c, err := read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	guilty := map[string][]string{}
	for _, r := range c.Rows {
		for i, does := range r.Does {
			if does != "right" {
				guilty[c.Complaints[i].Name] = append(guilty[c.Complaints[i].Name], r.Name)
			}
		}
	}
	for _, tt := range []struct {
		complaint, profile string
		falls              bool
		reason             string
	}{
		{"one equal call per reply", "opencode", true, "it looks at one message only"},
		{"one equal call per user message", "hermes", true, "a user's message starts it afresh"},
		{"a second loop", "gemini-cli", false, "it speaks of each cycle"},
		{"A B A B", "cline", true, "it counts runs only"},
		{"A B A B", "loopstone", false, "it counts laps"},
		{"one equal call per user message", "loopstone", false, "nothing starts it afresh"},
		{"edit, run, edit, run", "browser-use", true, "it counts calls, whatever they return"},
		{"edit, run, edit, run", "loopstone", false, "the results differ"},
		{"waiting for a build", "loopstone", false, "the results differ"},
		{"waiting for a quiet build", "loopstone", true, "equal results are all that it sees"},
		{"batch edits", "loopstone", false, "the arguments differ"},
	} {
		if got := slices.Contains(guilty[tt.complaint], tt.profile); got != tt.falls {
			t.Errorf("%s: @%s falls for it: %t, want %t, for %s", tt.complaint, tt.profile, got, tt.falls, tt.reason)
		}
	}
}
