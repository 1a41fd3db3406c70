package strength

import (
	"slices"
	"testing"
	"time"

	"github.com/loopstone/loopstone/conformance/strength/mutation"
)

// compileGuards builds the mutants of the smallest detector.
func compileGuards(t *testing.T) *Build {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a program")
	}
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	b, err := Compile(t.Context(), root, "./reference/guards")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// TestGuards plants every fault of one detector: nearly all are killed, by cases of that detector, and what survives
// is a problem as long as nobody excuses it. That the original passes everything, Judge checks itself.
func TestGuards(t *testing.T) {
	t.Parallel()
	b := compileGuards(t)
	start := time.Now()
	outcomes, err := b.Judge(t.Context(), b.Program.Mutants)
	if err != nil {
		t.Fatal(err)
	}
	v := Assess(outcomes, &Exemptions{})
	row := v.ByPackage()[0]
	t.Logf("%d mutants, %d killed, in %s", row.All(), row.Counts[Killed], time.Since(start))
	if row.Counts[Killed] < row.All()*3/4 {
		t.Errorf("%d of %d mutants killed, want three quarters at least", row.Counts[Killed], row.All())
	}
	if row.Counts[Survived] == 0 || v.Err() == nil {
		t.Errorf("%d survived, and the problems are %v; want some of both", row.Counts[Survived], v.Err())
	}
	if !slices.ContainsFunc(outcomes, func(o Outcome) bool { return o.ByItsClause }) {
		t.Error("no mutant was killed by a case of its clause")
	}
}

func TestWorkerThatCannotBeStarted(t *testing.T) {
	t.Parallel()
	b := &Build{Program: &mutation.Program{}, Worker: "/nowhere/worker"}
	if _, err := b.Judge(t.Context(), nil); err == nil {
		t.Error("no error")
	}
}
