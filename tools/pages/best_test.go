package pages

import (
	"fmt"
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
	if diff := cmp.Diff(plain(b.Config().Get("rules").Items()), plain(p.Rules())); diff != "" {
		t.Errorf("the profile is not what the search finds (-found +profile):\n%s", diff)
	}
}

// plain writes rules as texts, of each rung its threshold and whether it stops.
func plain(rules []spec.Value) (list []string) {
	for _, r := range rules {
		text := r.Without("rungs").Canonical()
		for _, rung := range r.Get("rungs").Items() {
			severity, _ := rung.Get("severity").Str()
			text += fmt.Sprintf(" at %s, warns: %t", rung.Get("at"), severity == "warning")
		}
		list = append(list, text)
	}
	return list
}

// TestTheProfileIsInTheSpace needs no recorded runs: each rule of the profile is one that the search tries.
func TestTheProfileIsInTheSpace(t *testing.T) {
	t.Parallel()
	p, err := profile.ByName("loopstone")
	if err != nil {
		t.Fatal(err)
	}
	var space []string
	for _, a := range stops() {
		space = append(space, plain(Choice{Stops: []Atom{a}}.config().Get("rules").Items())...)
	}
	for _, a := range warnings() {
		space = append(space, plain(Choice{Warns: []Atom{a}}.config().Get("rules").Items())...)
	}
	for _, rule := range plain(p.Rules()) {
		if !slices.Contains(space, rule) {
			t.Errorf("the search does not try this rule of the profile: %s", rule)
		}
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
