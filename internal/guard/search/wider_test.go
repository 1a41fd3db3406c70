package search

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/lab/score"
	"github.com/loopstone/loopstone/spec"
)

// TestNoPairOfAWiderSpaceFindsMoreThanOneLoopMore tries all pairs of some two thousand rules, ten times the space: with
// thoughts, by tools alone, streaks, longer cycles and more windows. It holds what docs/dev/best.md says of them.
func TestNoPairOfAWiderSpaceFindsMoreThanOneLoopMore(t *testing.T) {
	if os.Getenv("LOOPSTONE_SLOW") == "" {
		t.Skip("takes minutes; LOOPSTONE_SLOW=1 runs it")
	}
	if _, err := os.Stat(corpus); err != nil {
		t.Skipf("the recorded runs are not there, docs/real-runs.md says where to get them: %v", err)
	}
	w := &table{atoms: wider()}
	report, err := w.score(t.Context(), corpus)
	if err != nil {
		t.Fatal(err)
	}
	found, alarmed := make([]set, len(w.atoms)), make([]set, len(w.atoms))
	var loops []string
	healthy := 0
	for _, r := range report.Runs {
		list, bit := alarmed, set(1)<<healthy
		if r.Run.Loop == score.Yes {
			list, bit, loops = found, set(1)<<len(loops), append(loops, r.Run.Name)
		} else {
			healthy++
		}
		for i, alarm := range r.Alarms {
			if alarm != nil {
				list[i] |= bit
			}
		}
	}
	plain := slices.IndexFunc(w.atoms, func(a Atom) bool { return a.Name == `{"results":"text"} {"sort":"run"} 3 []` })
	most, further, pairs := 0, map[string]int{}, 0
	for i := range w.atoms {
		for k := range w.atoms[:i+1] {
			all := found[i] | found[k]
			if float64((alarmed[i]|alarmed[k]).size()) > mostFalse*float64(healthy) || all.size() < 8 {
				continue
			}
			pairs++
			most = max(most, all.size())
			for n, name := range loops {
				if (all&^found[plain])&(1<<n) != 0 {
					further[name]++
				}
			}
		}
	}
	t.Logf("%d rules; %d pairs find 8 loops or more and alarm at %.0f %% at most: the further loops are %v", len(w.atoms),
		pairs, 100*mostFalse, further)
	if most != 8 {
		t.Errorf("pairs find up to %d loops, want 8", most)
	}
}

// wider returns the rules of the wider space.
func wider() (atoms []Atom) {
	for _, same := range []string{
		`{"results":"text"}`, `{}`, `{"by":"tool","results":"text"}`, `{"by":"tool"}`, `{"thought":true}`,
	} {
		for _, fresh := range []string{`[]`, `["change"],"changes":` + Changes} {
			add := func(pattern string, at int) {
				rule := fmt.Sprintf(`{"same":%s,"pattern":%s,"rungs":[{"at":%d}],"fresh":%s}`, same, pattern, at, fresh)
				atoms = append(atoms, Atom{Name: fmt.Sprint(same, " ", pattern, " ", at, " ", fresh), At: at, Rule: spec.MustParse(rule)})
			}
			for at := 2; at <= 10; at++ {
				add(`{"sort":"run"}`, at)
				for _, last := range []int{6, 8, 10, 15, 20, 25, 30, 40} {
					add(fmt.Sprintf(`{"sort":"among","last":%d}`, last), at)
					if strings.Contains(same, "results") {
						add(fmt.Sprintf(`{"sort":"streak","last":%d}`, last), at)
					}
				}
			}
			for at := 2; at <= 5; at++ {
				for _, to := range []int{2, 3, 4, 6, 8, 10, 13} {
					add(fmt.Sprintf(`{"sort":"cycle","from":2,"to":%d}`, to), at)
				}
			}
		}
	}
	return atoms
}
