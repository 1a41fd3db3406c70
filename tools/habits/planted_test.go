package habits

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/testing/golden"
)

const (
	adapters = "../../conformance/adapters"
	pageFile = "../../docs/dev/habits.md"
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
	var missing []string
	for _, l := range languages {
		if !l.isInstalled() {
			missing = append(missing, l.name)
		}
	}
	faults = slices.DeleteFunc(faults, func(f fault) bool { return slices.Contains(missing, f.language.name) })
	outcomes, err := judgeAll(t.Context(), adapters, t.TempDir(), faults, suite(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range outcomes {
		if !o.isNamed() {
			t.Logf("%s: %s: %d failed, first %q, want one of %q", o.place, o.habit, o.failed, o.first, o.clauses)
		}
	}
	var all tally
	for _, o := range outcomes {
		all.count(o)
	}
	t.Logf("planted %d, noticed %d; the report shows a broken clause first for %d", all.planted, all.found, all.named)
	if err := assess(outcomes); err != nil {
		t.Error(err)
	}
	if len(missing) > 0 {
		t.Skipf("not planted, and %s not compared, as tools are missing: %s", pageFile, strings.Join(missing, ", "))
	}
	golden.Check(t, pageFile, page(outcomes))
}
