package pages

import (
	"testing"

	"github.com/loopstone/loopstone/internal/lab/score"
)

// TestAimsAreChecked: the page says that @nudge and its stops keep their aims in each corpus.
func TestAimsAreChecked(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		profile string
		least   score.Severity
		alarms  int // in 100 healthy runs
		fails   bool
	}{
		{"@nudge", "", 4, false},
		{"@nudge", "", 5, true},
		{"@nudge", "critical", 1, false},
		{"@nudge", "critical", 2, true},
		{"@cline", "", 50, false},
	} {
		row := score.Row{FalseAlarms: score.Share{Part: tt.alarms, Of: 100}}
		row.Profile, row.Least = tt.profile, tt.least
		board := scoreboard{Corpora: []score.Group{{Name: "coder", Rows: []score.Row{row}}}}
		if err := board.checkAims(); (err != nil) != tt.fails {
			t.Errorf("%s in %d of 100 healthy runs: %v", row.Name(), tt.alarms, err)
		}
	}
}
