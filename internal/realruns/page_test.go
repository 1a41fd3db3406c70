package realruns

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite docs/real-runs.md")

// corpora is where the page says that the runs are kept.
const corpora = "../../../shared/corpora"

func TestPageIsUpToDate(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sola-st", "tau-bench", "intercode"} {
		if _, err := os.Stat(filepath.Join(corpora, name)); err != nil {
			t.Skipf("the recorded runs are not there, docs/real-runs.md says where to get them: %v", err)
		}
	}
	got, err := Write(context.Background(), corpora)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("..", "..", "docs", "real-runs.md")
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s is out of date, make real-runs writes it (-file +computed):\n%s", path, diff)
	}
}
