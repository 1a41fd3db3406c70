package pages

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/loopstone/loopstone/internal/guard/golden"
	"github.com/loopstone/loopstone/internal/suite/files"
)

func TestEvasionsAreUpToDate(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "..", "docs", "choosing.md")
	page, err := files.Read(t.Context(), path, files.MostText)
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
	list, silent, err := evasions(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		detector, change string
		want             int
		reason           string
	}{
		{"@cline", "another call after it", 2, "it needs three in a row"},
		{"@cline", "a number in the result", 0, "it does not look at results"},
		{"@loopstone", "a number in the result", 3, "results must be equal"},
		{"history code", "a message of the user after it", 0, "nothing starts it afresh"},
	} {
		i := slices.IndexFunc(list, func(e evasion) bool { return slices.Contains(e.Names, tt.detector) })
		k := slices.IndexFunc(changes, func(c change) bool { return c.Name == tt.change })
		if i < 0 || k < 0 {
			t.Fatalf("there is no row %s, or no change %s", tt.detector, tt.change)
		}
		if got := list[i].Every[k]; got != tt.want {
			t.Errorf("%s, %s: 1 in %d, want %d: %s", tt.detector, tt.change, got, tt.want, tt.reason)
		}
	}
	if !slices.Contains(silent, "@opencode") {
		t.Errorf("no row: %v; @opencode looks at one reply only", silent)
	}
}
