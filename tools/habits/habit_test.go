package habits

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

// TestEveryFaultHasItsPlace is quick, so that an edit of a port is told at once that a fault has lost its place.
func TestEveryFaultHasItsPlace(t *testing.T) {
	habits, faults := read(t)
	known := map[string]bool{}
	for _, c := range spec.Clauses() {
		known[c.ID] = true
	}
	for _, f := range faults {
		text, err := os.ReadFile(filepath.Join(adapters, f.file))
		if err != nil {
			t.Error(f.place.Problemf("%v", err))
		}
		if n := strings.Count(string(text), f.old); n != 1 || f.old == f.new {
			t.Error(f.place.Problemf("old: stands %d times in %s, want once, and another text as new", n, f.file))
		}
		if i := slices.IndexFunc(f.clauses, func(id string) bool { return !known[id] }); i >= 0 {
			t.Error(f.place.Problemf("clauses: there is no %s", f.clauses[i]))
		}
	}
	if len(habits) < 50 {
		t.Errorf("the table has %d habits, want 50", len(habits))
	}
}

func TestWrongTables(t *testing.T) {
	for _, test := range []struct{ reason, text, want string }{
		{"no habits", "habits: []", "not empty"},
		{"no places", `habits: [{habit: "x", faults: []}]`, "not empty"},
		{
			"no such port",
			`habits: [{habit: "x", faults: [{in: ada/a, detector: history, clauses: [HI-1], old: "b", new: "c"}]}]`,
			"no port in ada/a",
		},
		{"no clause", `habits: [{habit: "x", faults: [{in: a, detector: history, old: "b", new: "c"}]}]`, "clauses"},
		{"a member that is not known", `habits: [{habit: "x", fault: []}]`, "fault"},
	} {
		if _, err := readHabits("habits.yaml", []byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want an error with %q", test.reason, err, test.want)
		}
	}
}

// TestTheGateFails shows, with a real port, that a fault that nothing notices is told, and one that is noticed though
// it is said that nothing can.
func TestTheGateFails(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a port four times")
	}
	place := strictyaml.Place{File: "habits.yaml", Line: 1, Column: 1}
	python, _ := languageOf("python/history.py")
	in := func(old, new, survives string) fault {
		return fault{
			language: python,
			habit:    "habit", file: "python/history.py", detector: "history", clauses: []string{"HI-13"},
			old: old, new: new, survives: survives, place: place,
		}
	}
	const threshold = "if self.equal.highest >= self.threshold:"
	const same = "if not self.equal.highest < self.threshold:"
	for _, test := range []struct {
		reason string
		fault  fault
		want   string
	}{
		{"a fault that changes nothing", in(threshold, same, ""), "no case notices it"},
		{"the same, with a reason", in(threshold, same, "It is the same."), ""},
		{"a fault that is noticed", in(threshold, "if False:", ""), ""},
		{"the same, with a reason", in(threshold, "if False:", "It is the same."), "though none can"},
	} {
		outcomes, err := judgeAll(t.Context(), adapters, t.TempDir(), []fault{test.fault}, suite(t))
		if err != nil {
			t.Fatalf("%s: %v", test.reason, err)
		}
		outcomes[0].first = "HI-13" // it is not what is tested
		switch err := assess(outcomes); {
		case test.want == "" && err != nil:
			t.Errorf("%s: got %v, want nothing", test.reason, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: got %v, want an error with %q", test.reason, err, test.want)
		}
	}
	if _, err := judgeAll(t.Context(), adapters, t.TempDir(), []fault{in("no such text", "x", "")}, suite(t)); err == nil {
		t.Error("a fault without its place is not told")
	}
}

// TestTheFirstClauseCounts shows that the gate fails where reports begin with other clauses: for too many faults of
// all, or of one detector.
func TestTheFirstClauseCounts(t *testing.T) {
	shown := func(detector spec.DetectorID, right, wrong int) []outcome {
		o := outcome{fault: fault{detector: detector, clauses: []string{"HI-13"}}, failed: 1, first: "HI-13"}
		other := o
		other.first = "HI-6"
		return slices.Concat(slices.Repeat([]outcome{o}, right), slices.Repeat([]outcome{other}, wrong))
	}
	for _, test := range []struct {
		reason string
		list   []outcome
		want   string // empty where the gate is content
	}{
		{"just enough of all", shown("history", leastNamed, 100-leastNamed), ""},
		{"one less of all", shown("history", leastNamed-1, 101-leastNamed), "for 91 of 100 faults, want 92 %"},
		{
			"just enough of each",
			slices.Concat(shown("history", 400, 0), shown("crow", leastOfEach, 100-leastOfEach)), "",
		},
		{
			"one less of one",
			slices.Concat(shown("history", 400, 0), shown("crow", leastOfEach-1, 101-leastOfEach)),
			"crow: a broken clause comes first for 89 of 100 faults, want 90 %",
		},
	} {
		switch err := assess(test.list); {
		case test.want == "" && err != nil:
			t.Errorf("%s: got %v, want nothing", test.reason, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: got %v, want an error with %q", test.reason, err, test.want)
		}
	}
}

func TestPortsThatCannotBeBuilt(t *testing.T) {
	missing := language{name: "Ada", build: []string{"no-such-compiler"}, run: []string{"./all"}}
	if missing.isInstalled() {
		t.Error("a compiler that is not there is installed")
	}
	wrong := language{name: "Ada", folder: ".", build: []string{"go", "build", "no-such-file.go"}, run: []string{"./all"}}
	if !wrong.isInstalled() {
		t.Error("go is not installed")
	}
	_, err := wrong.command(t.Context(), t.TempDir())
	for _, want := range []string{"build the ports in Ada", "no-such-file.go"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}
