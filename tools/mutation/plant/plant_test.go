package plant

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/testing/golden"
)

const runtimePath = "github.com/loopstone/loopstone/tools/mutation/plant"

func mutateSample(t *testing.T) *Program {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Mutate(root, runtimePath, "./mutation/plant/testdata/sample")
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
	golden.Check(t, "testdata/mutants.txt", list.String())
}

func TestCopyOfTheSample(t *testing.T) {
	t.Parallel()
	for _, text := range mutateSample(t).Files {
		golden.Check(t, "testdata/copy.txt", string(text))
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
	if _, err := Mutate("../..", runtimePath, "./mutation/nowhere"); err == nil {
		t.Error("no error")
	}
}
