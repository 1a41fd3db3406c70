package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
)

// TestGuards plants every fault of one detector: all are killed, by cases of that detector. That the original passes
// everything, Judge checks itself.
func TestGuards(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a program")
	}
	root, err := projectRoot()
	if err != nil {
		t.Fatal(err)
	}
	outcomes, err := judgePackages(t.Context(), root, referencePath+"guards")
	if err != nil {
		t.Fatal(err)
	}
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	v, err := assess(outcomes, nil)
	rows := v.rows()
	if row := rows[0]; row.name != "breaches" || row.counts[survived] > 0 {
		t.Errorf("%+v; want all breaches killed", row)
	}
	if row := rows[1]; row.name != "guards" || row.all() < 30 || row.counts[killed] < row.all() || err != nil {
		t.Errorf("%+v, problems %v; want over 30 mutants, all killed, and no problem", row, err)
	}
	p := v.prove(suite)
	if id := "guards-max-runtime-first-iteration"; p.kills[id] == 0 || !p.clauses[id]["GU-6"] {
		t.Errorf("%s kills %d mutants, of %v; want some, of GU-6", id, p.kills[id], p.clauses[id])
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
	program := []string{"sh", "-c", deadlyJudge}
	outcomes := []outcome{{}, {}, {}, {}, {}}
	first := 0
	for want := range 2 { // it ends at the mutant 3
		next, err := judgeFrom(t.Context(), program, outcomes, first, 1)
		if err != nil || next != []int{4, 5}[want] {
			t.Fatalf("after %d: %d, %v", first, next, err)
		}
		first = next
	}
	for i, o := range outcomes {
		if (o.Ended != "") != (i == 3) || (len(o.Killers) == 1) != (i != 3) {
			t.Errorf("%d: %+v", i, o)
		}
	}
}

// deadlyJudge judges as the program does, and ends at the mutant 3.
const deadlyJudge = `
echo '{}'
for i in $(seq $1 4); do
	test $i != 3 || exit 1
	echo '{"Killers":["failing"]}'
done
`

func TestJudgeThatCannotBeStarted(t *testing.T) {
	t.Parallel()
	for _, program := range [][]string{{"/nowhere/judge"}, {"false"}} {
		if _, err := judgeAll(t.Context(), program, nil); err == nil {
			t.Errorf("%s: no error", program)
		}
	}
}
