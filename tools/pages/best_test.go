package pages

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/internal/lab/score"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/internal/testing/golden"
	"github.com/loopstone/loopstone/spec"
)

// TestBestIsUpToDate searches again: the page says what is found, and the profile is that.
func TestBestIsUpToDate(t *testing.T) {
	t.Parallel()
	for _, name := range labelled {
		if _, err := os.Stat(filepath.Join(corpora, name)); err != nil {
			t.Skipf("the recorded runs are not there, docs/labels/README.md says how to get them: %v", err)
		}
	}
	b, err := Search(t.Context(), corpora, labels, "../../recordings")
	if err != nil {
		t.Fatal(err)
	}
	page, err := b.Page()
	if err != nil {
		t.Fatal(err)
	}
	docs := filepath.Join("..", "..", "docs", "dev")
	golden.Check(t, filepath.Join(docs, "best.md"), page)
	golden.Check(t, filepath.Join(docs, "best-light.svg"), b.Chart(false))
	golden.Check(t, filepath.Join(docs, "best-dark.svg"), b.Chart(true))
	isTheProfile(t, b)
}

// isTheProfile compares the rules that were found with those of the profile, but for the names of rungs.
func isTheProfile(t *testing.T, b *Best) {
	t.Helper()
	p, err := profile.ByName("loopstone")
	if err != nil {
		t.Fatal(err)
	}
	plain := func(rules []spec.Value) (list []string) {
		for _, r := range rules {
			rung := r.Get("rungs").Items()[0]
			severity, _ := rung.Get("severity").Str()
			rung = spec.ObjectValue(spec.Member{Name: "at", Value: rung.Get("at")})
			list = append(list, r.With("rungs", rung).Canonical()+map[string]string{"warning": " warns"}[severity])
		}
		return list
	}
	if diff := cmp.Diff(plain(b.Config().Get("rules").Items()), plain(p.Rules())); diff != "" {
		t.Errorf("the profile is not what the search finds (-found +profile):\n%s", diff)
	}
}

// TestItDoesWhatIsRequired plays the recordings to the profile; those of which nothing is required are named.
func TestItDoesWhatIsRequired(t *testing.T) {
	t.Parallel()
	p, err := profile.ByName("loopstone")
	if err != nil {
		t.Fatal(err)
	}
	recordings, err := score.Open(t.Context(), "../../recordings")
	if err != nil {
		t.Fatal(err)
	}
	err = recordings.Each(t.Context(), func(run *score.Run) error {
		reported, err := reportsIn(t.Context(), p.Config(), run.Events)
		if wrong := reported != (run.Loop == score.Yes); wrong != slices.Contains(notRequired, run.Name) {
			t.Errorf("%s: a report: %t; the run loops: %t", run.Name, reported, run.Loop == score.Yes)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	once := counting()
	if reported, err := reportsIn(t.Context(), p.Config(), once.events); err != nil || !reported {
		t.Errorf("%s: no report (%v)", once.Name, err)
	}
}
