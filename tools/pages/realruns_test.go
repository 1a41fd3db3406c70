package pages

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"

	"github.com/loopstone/loopstone/internal/testing/golden"
)

// corpora is where the pages say that the runs are kept: $LOOPSTONE_CORPORA, or beside the project.
var corpora = cmp.Or(os.Getenv("LOOPSTONE_CORPORA"), "../../../shared/corpora")

const labels = "../../docs/labels"

func TestRealRunsIsUpToDate(t *testing.T) {
	t.Parallel()
	for _, name := range Corpora() {
		if _, err := os.Stat(filepath.Join(corpora, name)); err != nil {
			t.Skipf("the recorded runs are not there, docs/labels/README.md says how to get them: %v", err)
		}
	}
	pages, err := RealRuns(t.Context(), corpora, labels)
	if err != nil {
		t.Fatal(err)
	}
	for name, page := range pages {
		golden.Check(t, filepath.Join("..", "..", "docs", filepath.FromSlash(name)), page)
	}
}
