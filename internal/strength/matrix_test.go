package strength

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/strength/mutation"
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
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	v := Assess(outcomes, &Exemptions{}, suite)
	row := v.ByPackage()[0]
	t.Logf("%d mutants, %d killed, in %s", row.All(), row.Counts[Killed], time.Since(start))
	if row.Counts[Killed] < row.All()*3/4 {
		t.Errorf("%d of %d mutants killed, want three quarters at least", row.Counts[Killed], row.All())
	}
	if row.Counts[Survived] == 0 || v.Err() == nil {
		t.Errorf("%d survived, and the problems are %v; want some of both", row.Counts[Survived], v.Err())
	}
	checkRecord(t, b, v, suite)
}

// checkRecord checks what is said of one case: the mutants that turn its only limit off are among those that it kills,
// it is counted for its clause, and it needs the step after which the limit holds.
func checkRecord(t *testing.T, b *Build, v *Verdict, suite []cases.Case) {
	t.Helper()
	const id = "guards-max-runtime-first-iteration"
	list := v.Record(suite)
	if err := b.Steps(t.Context(), v, list); err != nil {
		t.Fatal(err)
	}
	r := list.Cases[id]
	if r.Kills == 0 || !slices.Contains(r.Clauses, "GU-6") || list.Clauses["GU-6"] == 0 || !slices.Contains(r.Steps, 1) {
		t.Errorf("%s: %+v; want kills, the clause GU-6 and the step 1", id, r)
	}
	if untried := list.Cases["crow-recent-all"]; untried.Kills > 0 {
		t.Errorf("a case of another detector kills %d mutants of this one", untried.Kills)
	}
	for _, o := range v.Outcomes {
		if len(o.Killers) > len(suite)/2 {
			t.Errorf("mutant %d is killed by %d cases, more than the detector has", o.Mutant.ID, len(o.Killers))
		}
	}
}

// TestACrashBelongsToItsCase lets two cases end the process, and the others still be run.
func TestACrashBelongsToItsCase(t *testing.T) {
	t.Parallel()
	b := &Build{Program: &mutation.Program{}, Worker: deadlyWorker(t)}
	w := &worker{path: b.Worker}
	defer w.stop()
	o, err := b.judge(t.Context(), mutation.Mutant{ID: 7}, w)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"deadly", "fatal", "failing"}; !slices.Equal(o.Killers, want) || len(o.Crashed) != 2 {
		t.Errorf("killed by %v, crashed in %v; want %v, and the first two crashed", o.Killers, o.Crashed, want)
	}
}

// deadlyWorker writes a script that answers as a worker does and ends during the cases deadly and fatal, unless it is
// told to leave them out.
func deadlyWorker(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "worker")
	const script = `#!/bin/sh
while read -r line; do
	for name in deadly fatal; do
		case $line in
		*"without"*"\"$name\""*) ;;
		*"aloud"*) echo "{\"trying\":\"$name\"}"; exit 1 ;;
		*) exit 1 ;;
		esac
	done
	echo '{"mutant":7,"killers":["failing"]}'
done
`
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestWorkerThatCannotBeStarted(t *testing.T) {
	t.Parallel()
	b := &Build{Program: &mutation.Program{}, Worker: "/nowhere/worker"}
	if _, err := b.Judge(t.Context(), nil); err == nil {
		t.Error("no error")
	}
}
