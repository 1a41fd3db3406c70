package mutation

import (
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/guard/mutation/plant"
)

// TestGuards plants every fault of one detector: nearly all are killed, by cases of that detector, and what survives
// is a problem as long as nobody excuses it. That the original passes everything, Judge checks itself.
func TestGuards(t *testing.T) {
	t.Parallel()
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
	defer b.Close()
	outcomes, err := b.Judge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	v := Assess(outcomes, &Exemptions{})
	rows := v.Rows()
	if row := rows[0]; row.Name != "breaches" || row.Counts[Survived] > 0 {
		t.Errorf("%+v; want all breaches killed", row)
	}
	if row := rows[1]; row.Name != "guards" || row.Counts[Killed] < row.All()*3/4 || row.Counts[Survived] == 0 || v.Err() == nil {
		t.Errorf("%+v, problems %v; want three quarters killed, and some problems", row, v.Err())
	}
	p := v.Prove(suite)
	if id := "guards-max-runtime-first-iteration"; p.Kills[id] == 0 || !p.Clauses[id]["GU-6"] {
		t.Errorf("%s kills %d mutants, of %v; want some, of GU-6", id, p.Kills[id], p.Clauses[id])
	}
	for _, o := range outcomes { // the breaches are of all detectors
		isOther := func(id string) bool { return !strings.HasPrefix(id, "guards-") }
		if o.Name() == "guards" && slices.ContainsFunc(o.Killers, isOther) {
			t.Errorf("%s: killed by %q, want cases of its detector alone", o.Mutant, o.Killers)
		}
	}
}

// TestAMutantThatEndsItsProcess shows that it is noticed, and that the next one is judged all the same.
func TestAMutantThatEndsItsProcess(t *testing.T) {
	t.Parallel()
	w := &child{command: []string{"sh", "-c", deadlyJudge}}
	defer w.stop()
	deadly, failing := Outcome{Mutant: plant.Mutant{ID: 7}}, Outcome{Mutant: plant.Mutant{ID: 8}}
	for _, o := range []*Outcome{&deadly, &failing} {
		if err := w.judge(t.Context(), o, request{Mutant: o.ID}); err != nil {
			t.Fatal(err)
		}
	}
	if deadly.Ended == "" || !deadly.Killed() || failing.ID != 8 || failing.Ended != "" || len(failing.Killers) != 1 {
		t.Errorf("got %+v and %+v", deadly, failing)
	}
}

// deadlyJudge answers as a judge does and ends at mutant 7. It is no file: one that was just written cannot be run while
// a process that another test started still holds it open ("text file busy").
const deadlyJudge = `
echo
while read -r line; do
	case $line in *7*) exit 1 ;; esac
	echo '{"Killers":["failing"]}'
done
`

func TestJudgeThatCannotBeStarted(t *testing.T) {
	t.Parallel()
	b := &Build{Program: &plant.Program{}, judge: []string{"/nowhere/judge"}}
	if _, err := b.Judge(t.Context()); err == nil {
		t.Error("no error")
	}
}
