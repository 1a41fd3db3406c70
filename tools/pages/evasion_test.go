package pages

import (
	"context"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/internal/testing/golden"
)

// searched are the tables of today. The search takes long, and two tests look at what it finds.
var searched = sync.OnceValues(func() ([]evasions, error) { return tables(context.Background()) })

func tablesOfToday(t *testing.T) []evasions {
	t.Helper()
	list, err := searched()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestEvasionsAreUpToDate(t *testing.T) {
	if testing.Short() {
		t.Skip("every change against every detector: make long runs it")
	}
	t.Parallel()
	path := filepath.Join("..", "..", "docs", "dev", "evasions.md")
	page, err := userfiles.Read(t.Context(), path, userfiles.MostText)
	if err != nil {
		t.Fatal(err)
	}
	got, err := withEvasions(page, tablesOfToday(t))
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, path, string(got))
}

// TestWhatSilencesADetector holds the search against what the rules say.
func TestWhatSilencesADetector(t *testing.T) {
	if testing.Short() {
		t.Skip("every change against every detector: make long runs it")
	}
	t.Parallel()
	found := tablesOfToday(t)
	calls, text := found[0], found[1]
	for _, tt := range []struct {
		in               evasions
		detector, change string
		want             int
		reason           string
	}{
		{calls, "@cline", "another call after it", 2, "it needs three in a row"},
		{calls, "@cline", "a number in the result", 0, "it does not look at results"},
		{calls, "@openhands", "a number in the result", 4, "results must be equal"},
		{calls, "@loopstone", "a number in the result", 0, "eight equal calls are enough"},
		{calls, "history code", "a message of the user after it", 0, "nothing starts it afresh"},
		{calls, "@opencode", "another call after it", -1, "it looks at one reply only"},
		{text, "@vllm-stream", "a number in it", 3, "it needs four copies in a row"},
		{text, "stream code", "a code fence after it", 0, "its tail repeats, too"},
		{text, "@gemini-cli-stream", "a call after it", 9, "it needs ten occurrences, and a call starts it afresh"},
	} {
		i := slices.IndexFunc(tt.in.Rows, func(e evasion) bool { return slices.Contains(e.Names, tt.detector) })
		k := slices.IndexFunc(tt.in.Changes, func(c change) bool { return c.Name == tt.change })
		got := -1
		if i >= 0 {
			got = tt.in.Rows[i].Every[k]
		}
		if got != tt.want || slices.Contains(tt.in.Silent, tt.detector) != (got < 0) {
			t.Errorf("%s, %s: 1 in %d, want %d: %s", tt.detector, tt.change, got, tt.want, tt.reason)
		}
	}
}
