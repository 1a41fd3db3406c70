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
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// TestBestIsUpToDate searches again: the page says what is found, and the profile is that.
func TestBestIsUpToDate(t *testing.T) {
	t.Parallel()
	corpus := filepath.Join(corpora, "sola-st")
	if _, err := os.Stat(corpus); err != nil {
		t.Skipf("the recorded runs are not there, docs/results.md says where to get them: %v", err)
	}
	r, err := Search(t.Context(), corpus, "../../recordings")
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Page()
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join("..", "..", "docs", "dev", "best.md"), string(got))
	isTheProfile(t, r)
}

// isTheProfile compares the rules that were found with those of the profile, by what decides.
func isTheProfile(t *testing.T, r *Result) {
	t.Helper()
	p, err := profile.ByName("loopstone")
	if err != nil {
		t.Fatal(err)
	}
	plain := func(rules []spec.Value) (list []string) {
		for _, v := range rules {
			pattern := v.Get("pattern")
			if pattern.IsAbsent() {
				pattern = spec.MustParse(`{"sort":"run"}`)
			}
			list = append(list, v.Get("same").Canonical()+pattern.Canonical()+v.Get("rungs").Items()[0].Get("at").String())
		}
		return list
	}
	if diff := cmp.Diff(plain(r.Config()), plain(p.Rules())); diff != "" {
		t.Errorf("the profile is not what the search finds (-found +profile):\n%s", diff)
	}
}

// TestItDoesWhatIsDemanded plays the recordings to the profile; the one that it fails is named on its page.
func TestItDoesWhatIsDemanded(t *testing.T) {
	t.Parallel()
	p, err := profile.ByName("loopstone")
	if err != nil {
		t.Fatal(err)
	}
	recordings, err := score.Open(t.Context(), "../../recordings")
	if err != nil {
		t.Fatal(err)
	}
	var wrong []string
	err = recordings.Each(t.Context(), func(run *score.Run) error {
		session, err := reference.Port().Open(t.Context(), spec.Composed, spec.Code, p.Config())
		if err != nil {
			return err
		}
		defer session.Close(t.Context())
		verdicts, err := session.Observe(t.Context(), run.Events)
		if err != nil {
			return err
		}
		spoke := slices.ContainsFunc(verdicts, func(v spec.Value) bool { return v.Get("loop").IsTrue() })
		if spoke != (run.Loop == score.Yes) {
			wrong = append(wrong, run.Name)
		}
		return nil
	})
	if diff := cmp.Diff(notDemanded, wrong); err != nil || diff != "" {
		t.Errorf("%v; it does otherwise than demanded (-known +now):\n%s", err, diff)
	}
}
