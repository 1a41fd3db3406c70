package score

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// drawn is the sample of testdata/labels.
func drawn(t *testing.T) []Drawn {
	t.Helper()
	sample, err := ReadSample(t.Context(), "testdata/labels/drawn.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return sample
}

// scoredSample scores the corpus own with the labels and the sample of testdata/labels.
func scoredSample(t *testing.T, sample []Drawn) (*Corpus, *Report) {
	t.Helper()
	corpora, contenders := opened(t, Choice{Detectors: []string{"history"}}, []string{"testdata/own"})
	if err := corpora[0].Label(readLabels(t, "testdata/labels/ann.jsonl")); err != nil {
		t.Fatal(err)
	}
	if err := corpora[0].Draw(sample); err != nil {
		t.Fatal(err)
	}
	report, err := Score(t.Context(), corpora, contenders, nil)
	if err != nil {
		t.Fatal(err)
	}
	return corpora[0], report
}

func TestOnlyDrawnRunsCount(t *testing.T) {
	t.Parallel()
	corpus, report := scoredSample(t, drawn(t))
	if corpus.Problem != nil || corpus.Loops != 2 || corpus.Healthy != 0 {
		t.Errorf("%d loops, %d healthy runs, problem %v; want the two drawn runs", corpus.Loops, corpus.Healthy,
			corpus.Problem)
	}
	type known struct {
		Weight      float64
		Task, Agent string
		Solved      Truth
	}
	got := map[string]known{}
	for _, r := range report.Runs {
		got[r.Run.Place] = known{r.Run.Weight, r.Run.Task, r.Run.Agent, r.Run.Solved}
	}
	want := map[string]known{
		"builds.jsonl#stuck": {3, "build", "robot", No},
		"builds.jsonl#fixed": {0, "build", "", Yes},
		"poll.jsonl":         {1.5, "", "", Unknown},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got): %s", diff)
	}
	row := report.Rows[0]
	if rate, _ := row.Unsolved.Rate(); row.Unsolved.Of != 1 || rate != 1 {
		t.Errorf("an alarm in %v of the unsolved runs; an outcome is not drawn, and has no weight", row.Unsolved)
	}
}

func TestASampleThatDoesNotFitIsTold(t *testing.T) {
	t.Parallel()
	corpus, _ := scoredSample(t, []Drawn{{Corpus: "own", Run: "poll.jsonl", Weight: 1}, {Corpus: "own", Run: "gone"}})
	if corpus.Problem == nil || !strings.Contains(corpus.Problem.Error(), "it does not hold: gone") {
		t.Errorf("got %v", corpus.Problem)
	}
	if err := corpus.Draw([]Drawn{{Corpus: "other", Run: "poll.jsonl", Weight: 1}}); err == nil {
		t.Error("a sample of another corpus matches nothing, and nobody says so")
	}
}

func TestABrokenSampleIsTold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"corpus":"own"}`: "s.jsonl:1: no run of a sample: want corpus and run",
		`{"corpus":"own","run":"a"}` + "\n" + `{"corpus":"own","run":"a"}`: "s.jsonl:2: the run a is on line 1, too",
		`{"corpus":"own","run":"a","weight":-1}`:                           "s.jsonl:1: no run of a sample: weight is -1; want",
		`{"corpus":"own","run":"a","weight":0}`:                            "s.jsonl:1: no run of a sample: weight is 0; want",
		`{"corpus":"own","run":"a","weight":1e308}`:                        "s.jsonl:1: no run of a sample: weight is 1e+308; want",
		`{"corpus":"own","run":"a","weight":5e-324}`:                       "s.jsonl:1: no run of a sample: weight is 5e-324; want",
		`{"corpus":"own","run":"a","wieght":1}`:                            `s.jsonl:1: no run of a sample: unknown member "wieght"`,
		"":                                                                 "s.jsonl:1: no run of a sample: it ends too early",
	} {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadSample(t.Context(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// TestAgentsHaveAllColumns: the robot's run loops in the same way and is not solved; of the others one loops in vain, and
// one, which only has an outcome, is solved.
func TestAgentsHaveAllColumns(t *testing.T) {
	t.Parallel()
	_, report := scoredSample(t, drawn(t))
	type columns struct {
		Name                                                      string
		Looping, Recall, Same, InVain, False, Solved, Unsolved, N int
	}
	var got []columns
	for _, g := range report.Agents() {
		r := g.Rows[0]
		got = append(got, columns{
			g.Name, g.Looping.Of, r.Recall.Of, r.Same.Of, r.InVain.Of, r.FalseAlarms.Of, r.Solved.Of, r.Unsolved.Of, len(g.Rows),
		})
	}
	want := []columns{{"", 1, 1, 0, 1, 0, 1, 0, 1}, {"robot", 1, 1, 1, 0, 0, 0, 1, 1}}
	slices.SortFunc(got, func(a, b columns) int { return strings.Compare(a.Name, b.Name) })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got): %s", diff)
	}
	none := report.By(func(r *Run) string { return fmt.Sprint(r.Loop) })
	if len(none) != 1 {
		t.Errorf("%d groups; the run that nobody labelled makes none", len(none))
	}
}

// TestProgramsGetTheTableByAgent: --by-agent counts for --json, too.
func TestProgramsGetTheTableByAgent(t *testing.T) {
	t.Parallel()
	_, report := scoredSample(t, drawn(t))
	type agents []struct {
		Agent string
		Runs  int
		Rows  []struct {
			Profile, Detector string
			Loops, Found      int
		}
	}
	for byAgent, want := range map[bool]int{false: 0, true: 2} {
		report.ByAgent = byAgent
		var out bytes.Buffer
		if err := report.WriteJSON(&out); err != nil {
			t.Fatal(err)
		}
		var got struct{ Agents agents }
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Agents) != want {
			t.Fatalf("by agent: %t; agents: %+v", byAgent, got.Agents)
		}
		for _, a := range got.Agents {
			if a.Runs != 1 || len(a.Rows) != 1 || a.Rows[0].Detector != "history" || a.Rows[0].Found != 1 {
				t.Errorf("%+v: want one run, a loop that history finds", a)
			}
		}
	}
}
