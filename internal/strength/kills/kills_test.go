package kills

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/cases"
)

// parse reads a case that kills what a test says.
func parse(t *testing.T, more string) cases.Case {
	t.Helper()
	suite, err := cases.Parse("history/test.yaml", []byte(`detector: history
cases:
  - id: history-a
    title: A case
    clauses: [HI-13]
    source: silent
    `+more+`
    steps: [{tool_call: {tool: t}, expect: {loop: false}}]
`))
	if err != nil {
		t.Fatal(err)
	}
	return suite[0]
}

func TestEachCaseIsForSomething(t *testing.T) {
	t.Parallel()
	plain, told := "why: It is a test.", `why: "It is a test. `+Purpose+`it is one."`
	for _, test := range []struct {
		reason, body string
		kills        int
		want         string // empty for no problem
	}{
		{"it kills a mutant", plain, 1, ""},
		{"it kills none", plain, 0, "history-a kills no mutant, and its why does not say what it is for"},
		{"it kills none and says what it is for", told, 0, ""},
		{"it is an example of a document", plain + "\n    example: true", 0, ""},
		{"it says that it kills none, and kills", told, 2, "history-a kills 2 mutants, but its why says"},
	} {
		c := parse(t, test.body)
		list := &List{Cases: map[string]Record{c.ID: {Demand: Demand(c), Kills: test.kills}}}
		check(t, test.reason, list.Check([]cases.Case{c}), test.want)
	}
}

func check(t *testing.T, reason string, problems []error, want string) {
	t.Helper()
	got := errors.Join(problems...)
	if want == "" && got != nil || want != "" && (got == nil || !strings.Contains(got.Error(), want)) {
		t.Errorf("%s: got %v, want %q", reason, got, want)
	}
}

func TestAListThatIsOutOfDate(t *testing.T) {
	t.Parallel()
	c := parse(t, "why: It is a test.")
	suite := []cases.Case{c}
	check(t, "a new case", (&List{}).Check(suite), "history-a was not tried on the mutants as it is now; run: make strength")
	changed := &List{Cases: map[string]Record{c.ID: {Demand: "00000000", Kills: 1, Steps: []int{1}}}}
	check(t, "a case that was changed", changed.Check(suite), "history-a was not tried on the mutants as it is now")
	if changed.Needs(c, 0) {
		t.Error("a step of a case that was changed is held to be needed")
	}
	gone := &List{Cases: map[string]Record{c.ID: {Demand: Demand(c), Kills: 1}, "history-b": {}}}
	check(t, "a case that is gone", gone.Check(suite), "history-b is no case any more")
	check(t, "an exchange", (&List{}).Check([]cases.Case{{ID: "line", Detector: cases.Protocol}}), "")
}

// TestMeasured shows that the list in the program is whole and that writing and reading it changes nothing.
func TestMeasured(t *testing.T) {
	t.Parallel()
	list := Measured()
	again, err := list.Text()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(text), string(again)); diff != "" {
		t.Errorf("written again (-file +written):\n%s", diff)
	}
	if _, err := Read([]byte(`{"clauses":{},"cases":{},"more":1}`)); err == nil {
		t.Error("a member that nobody knows is no error")
	}
}
