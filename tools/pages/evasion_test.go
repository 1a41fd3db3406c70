package pages

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/internal/testing/golden"
)

func TestEvasionsAreUpToDate(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "docs", "dev", "evasions.md")
	page, err := userfiles.Read(t.Context(), path, userfiles.MostText)
	if err != nil {
		t.Fatal(err)
	}
	got, err := WithEvasions(t.Context(), page)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, path, string(got))
}

// TestWhatSilencesADetector holds the search against what the rules say.
func TestWhatSilencesADetector(t *testing.T) {
	t.Parallel()
	calls, text := loopOfCalls(), loopOfText()
	for _, tt := range []struct {
		loop             loop
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
		tt.loop.Detectors = strings.Fields(tt.detector)[:1] // alone
		list, silent, err := tt.loop.evasions(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(list, func(e evasion) bool { return slices.Contains(e.Names, tt.detector) })
		k := slices.IndexFunc(tt.loop.Changes, func(c change) bool { return c.Name == tt.change })
		got := -1
		if i >= 0 {
			got = list[i].Every[k]
		}
		if got != tt.want || slices.Contains(silent, tt.detector) != (got < 0) {
			t.Errorf("%s, %s: 1 in %d, want %d: %s", tt.detector, tt.change, got, tt.want, tt.reason)
		}
	}
}
