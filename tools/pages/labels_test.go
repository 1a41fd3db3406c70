package pages

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/lab/label"
	"github.com/loopstone/loopstone/internal/lab/score"
)

func shipped(t *testing.T, name string) label.Labels {
	t.Helper()
	list, err := label.Read(t.Context(), filepath.Join(labels, name))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestEachDrawnRunIsLabelled: a run without a label would take its weight with it.
func TestEachDrawnRunIsLabelled(t *testing.T) {
	t.Parallel()
	sample, err := score.ReadSample(t.Context(), filepath.Join(labels, "runs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	finished := map[label.Run]bool{}
	for _, name := range []string{"first.jsonl", "sola.jsonl"} {
		for _, l := range shipped(t, name) {
			finished[label.Run{Corpus: l.Corpus, Run: l.Run}] = l.Finished
		}
	}
	drawn, of := map[string]int{}, map[string]float64{}
	for _, d := range sample {
		if d.Weight == 0 {
			continue
		}
		drawn[d.Corpus]++
		of[d.Corpus] += d.Weight
		if !finished[label.Run{Corpus: d.Corpus, Run: d.Run}] {
			t.Errorf("%s of %s was drawn, and nobody labelled it", d.Run, d.Corpus)
		}
	}
	got := fmt.Sprintf("%d %.0f %d %.0f %d %.0f %d %.0f", drawn["enigma"], of["enigma"], drawn["coder"], of["coder"],
		drawn["baseline"], of["baseline"], drawn["sola-st"], of["sola-st"])
	if want := "200 565 100 261 100 1687 65 65"; got != want {
		t.Errorf("runs drawn, and runs that they stand for: %s, want %s", got, want)
	}
}

// TestLabellersAgree holds what docs/labels/README.md says of the two labellers, and that a third decided each run in
// which they differ.
func TestLabellersAgree(t *testing.T) {
	t.Parallel()
	g, err := label.Agree(shipped(t, "first.jsonl"), shipped(t, "second.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	kappa, known := g.Kappa()
	if !known || kappa < 0.7 {
		t.Errorf("kappa is %.2f: sharpen the definition and start again", kappa)
	}
	alpha, _ := g.Alpha()
	readme, err := os.ReadFile(filepath.Join(labels, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	said := fmt.Sprintf("in %d of %d runs: kappa %.2f, alpha %.2f.", g.Loops[0][0]+g.Loops[1][1], g.Runs, kappa, alpha)
	if !strings.Contains(string(readme), said) {
		t.Errorf("the README does not say %q", said)
	}
	decided := map[label.Run]bool{}
	for _, l := range shipped(t, "decided.jsonl") {
		decided[label.Run{Corpus: l.Corpus, Run: l.Run}] = l.Decides()
	}
	for _, d := range g.Adjudicate {
		if !decided[d.Run] {
			t.Errorf("nobody decided %s", d.Run)
		}
	}
}
