package bench_test

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"testing"

	"github.com/loopstone/loopstone/internal/suite/bench"
	"github.com/loopstone/loopstone/spec"
)

func TestEveryDetectorHasWorkloadsOfValidEvents(t *testing.T) {
	t.Parallel()
	for _, profile := range spec.Detectors() {
		set, err := bench.For(profile.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{set.Everyday, set.Steady} {
			if !slices.ContainsFunc(set.Workloads, func(w bench.Workload) bool { return w.Name == name }) {
				t.Errorf("%s has no workload %q", profile.ID, name)
			}
		}
		for _, w := range set.Workloads {
			for i := range 5 {
				if _, err := spec.DecodeEvent(w.Event(i)); err != nil {
					t.Fatalf("%s/%s: event %d: %v", profile.ID, w.Name, i, err)
				}
			}
		}
	}
}

// TestWorkloadsStayTheSame guards every comparison with figures from before: a digest that changes here makes all
// baselines worthless, and they must be recorded again with it.
func TestWorkloadsStayTheSame(t *testing.T) {
	t.Parallel()
	const want = "8ddafbb9dbcb3cc3"
	sum := sha256.New()
	for _, profile := range spec.Detectors() {
		set, _ := bench.For(profile.ID)
		for _, w := range set.Workloads {
			sum.Write([]byte(w.Name))
			for _, i := range []int{0, 1, 80, 1_000_003} {
				sum.Write(w.Event(i).AppendJSON(nil))
			}
		}
	}
	if got := hex.EncodeToString(sum.Sum(nil)[:8]); got != want {
		t.Errorf("the workloads have the digest %s, and had %s", got, want)
	}
}

func TestRingGoesOnWithoutASeam(t *testing.T) {
	t.Parallel()
	set, err := bench.For(spec.History)
	if err != nil {
		t.Fatal(err)
	}
	seamless := []string{"window-boundary", "ping-pong", "args-64k", "args-1m"}
	found := 0
	for _, w := range set.Workloads {
		if !slices.Contains(seamless, w.Name) {
			continue
		}
		found++
		ring := w.Ring()
		if next := w.Event(len(ring)); !next.Equal(ring[0]) {
			t.Errorf("%s: after the last event of the ring, its first does not come", w.Name)
		}
	}
	if found != len(seamless) {
		t.Errorf("%d of the workloads %v exist", found, seamless)
	}
}
