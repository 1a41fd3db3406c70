package pages

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"

	"github.com/loopstone/loopstone/internal/guard/golden"
)

// corpora is where the pages say that the runs are kept: $LOOPSTONE_CORPORA, or beside the project.
var corpora = cmp.Or(os.Getenv("LOOPSTONE_CORPORA"), "../../../../shared/corpora")

const labels = "../../../docs/labels"

func TestRealRunsIsUpToDate(t *testing.T) {
	t.Parallel()
	for _, name := range Corpora() {
		if _, err := os.Stat(filepath.Join(corpora, name)); err != nil {
			t.Skipf("the recorded runs are not there, docs/labels/README.md says how to get them: %v", err)
		}
	}
	page, byAgent, err := RealRuns(t.Context(), corpora, labels)
	if err != nil {
		t.Fatal(err)
	}
	docs := filepath.Join("..", "..", "..", "docs")
	golden.Check(t, filepath.Join(docs, "real-runs.md"), page)
	golden.Check(t, filepath.Join(docs, "dev", "by-agent.md"), byAgent)
}
