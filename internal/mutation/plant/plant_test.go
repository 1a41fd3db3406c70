package plant

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

const runtimePath = "github.com/loopstone/loopstone/internal/mutation/mutant"

func mutateSample(t *testing.T) *Program {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Mutate(root, runtimePath, "./internal/mutation/plant/testdata/sample")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestMutantsOfTheSample(t *testing.T) {
	t.Parallel()
	var list strings.Builder
	for _, m := range mutateSample(t).Mutants {
		fmt.Fprintf(&list, "%d\t%d\t%s\t%s\t%s\n", m.ID, m.Line, strings.Join(m.Clauses, " "), m.Function, m.Change)
	}
	golden(t, "testdata/mutants.txt", list.String())
}

func TestCopyOfTheSample(t *testing.T) {
	t.Parallel()
	for _, text := range mutateSample(t).Files {
		golden(t, "testdata/copy.txt", string(text))
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s\nrewrite it with: go test ./internal/mutation/plant -update", path, diff)
	}
}

func TestEveryMutantHasAKeyOfItsOwn(t *testing.T) {
	t.Parallel()
	seen := map[[2]string]bool{}
	for _, m := range mutateSample(t).Mutants {
		key := [2]string{m.Function, m.Change}
		if seen[key] {
			t.Errorf("%s: twice", m)
		}
		seen[key] = true
	}
}

func TestPatternThatMatchesNothing(t *testing.T) {
	t.Parallel()
	if _, err := Mutate("../../..", runtimePath, "./internal/mutation/nowhere"); err == nil {
		t.Error("no error")
	}
}
