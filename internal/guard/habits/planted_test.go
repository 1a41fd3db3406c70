package habits

import (
	"os"
	"slices"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/guard/golden"
)

const (
	adapters = "../../../conformance/adapters"
	pageFile = "../../../docs/dev/habits.md"
)

func read(t *testing.T) ([]habit, []fault) {
	t.Helper()
	text, err := os.ReadFile("habits.yaml")
	if err != nil {
		t.Fatal(err)
	}
	habits, err := readHabits("habits.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	var faults []fault
	for _, h := range habits {
		faults = append(faults, h.faults...)
	}
	return habits, faults
}

func suite(t *testing.T) []cases.Case {
	t.Helper()
	all, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestPlantedHabits takes minutes: see make planted.
func TestPlantedHabits(t *testing.T) {
	if os.Getenv("LOOPSTONE_SLOW") == "" {
		t.Skip("LOOPSTONE_SLOW is not set")
	}
	_, faults := read(t)
	missing := map[string]bool{}
	faults = slices.DeleteFunc(faults, func(f fault) bool {
		installed := f.language.isInstalled()
		missing[f.language.name] = !installed
		return !installed
	})
	outcomes, err := judgeAll(t.Context(), adapters, t.TempDir(), faults, suite(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range outcomes {
		if !o.isNamed() {
			t.Logf("%s: %s: %d failed, first %q, want one of %q", o.place, o.habit, o.failed, o.first, o.clauses)
		}
	}
	if err := assess(outcomes); err != nil {
		t.Error(err)
	}
	for name, is := range missing {
		if is {
			t.Skipf("the tools of %s are missing, so its faults are not planted, and %s is not compared", name, pageFile)
		}
	}
	golden.Check(t, pageFile, page(outcomes))
}
