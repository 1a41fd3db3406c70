package pages

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/loopstone/loopstone/internal/guard/golden"
)

// corpora is where the pages say that the runs are kept.
const corpora = "../../../../shared/corpora"

func TestRealRunsIsUpToDate(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sola-st", "tau-bench", "intercode"} {
		if _, err := os.Stat(filepath.Join(corpora, name)); err != nil {
			t.Skipf("the recorded runs are not there, docs/real-runs.md says where to get them: %v", err)
		}
	}
	got, err := RealRuns(context.Background(), corpora)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join("..", "..", "..", "docs", "real-runs.md"), string(got))
}
