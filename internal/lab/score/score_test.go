package score

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/internal/testing/golden"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// study is a corpus of the study's layout, made by hand: each run is what its name says, and is labelled so.
const study = "testdata/study"

// opened opens corpora, and lists who of the reference is scored on them.
func opened(t *testing.T, choice Choice, paths []string) (corpora []*Corpus, contenders []Contender) {
	t.Helper()
	for _, path := range paths {
		corpus, err := Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		corpora = append(corpora, corpus)
	}
	contenders, err := choice.Of(t.Context(), reference.Port(), "")
	if err != nil {
		t.Fatal(err)
	}
	return corpora, contenders
}

// scored scores corpora by the reference, at its defaults.
func scored(t *testing.T, choice Choice, paths ...string) *Report {
	t.Helper()
	corpora, contenders := opened(t, choice, paths)
	report, err := Score(t.Context(), corpora, contenders, nil)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestReports(t *testing.T) {
	t.Parallel()
	report := scored(t, Choice{Sweep: &Sweep{"threshold", 2, 5}}, study)
	for name, write := range map[string]func(io.Writer) error{
		"study.html": report.WriteHTML,
		"study.json": report.WriteJSON,
		"study.svg":  func(w io.Writer) error { _, err := io.WriteString(w, report.Chart()); return err },
	} {
		t.Run(name, func(t *testing.T) { sameAs(t, name, write) })
	}
}

// sameAs compares what is written with a file of testdata.
func sameAs(t *testing.T, name string, write func(io.Writer) error) {
	t.Helper()
	var got bytes.Buffer
	if err := write(&got); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "golden", name)
	golden.Check(t, path, got.String())
}

// TestNoLineIsWiderThanThePage looks at every line, whatever the table.
func TestNoLineIsWiderThanThePage(t *testing.T) {
	t.Parallel()
	report := scored(t, Choice{Sweep: &Sweep{"threshold", 2, 5}}, study)
	for _, width := range []int{leastWidth, 60, 80, 120} {
		var text bytes.Buffer
		if err := report.WriteText(&text, width); err != nil {
			t.Fatal(err)
		}
		for line := range bytes.Lines(text.Bytes()) {
			if n := len([]rune(string(bytes.TrimRight(line, "\n")))); n > width {
				t.Errorf("width %d: a line has %d characters: %s", width, n, line)
			}
		}
	}
}

// counts is what a second program must count, too.
type counts struct {
	Rows  map[string]map[string]int `json:"rows"`
	Pairs map[string]map[string]int `json:"pairs"`
}

// realCorpus is the half of the study's runs whose figures are known; docs/results.md says where to get them.
const realCorpus = "../../../../shared/corpora/sola-st"

// TestAgreesWithASecondComputation asks a program in Python that shares nothing with this one: not the reader, not the
// detectors, not the counting.
func TestAgreesWithASecondComputation(t *testing.T) {
	t.Parallel()
	for _, corpus := range []string{study, realCorpus} {
		t.Run(filepath.Base(corpus), func(t *testing.T) {
			t.Parallel()
			needCorpus(t, corpus)
			want, got := counted(t, corpus), countsOf(scored(t, documented, corpus))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Python and Go differ (-Python +Go):\n%s", diff)
			}
		})
	}
}

// documented are the detectors that the second program has.
var documented = Choice{Detectors: []string{"fingerprint", "history", "crow"}}

func needCorpus(t *testing.T, corpus string) {
	t.Helper()
	if _, err := os.Stat(corpus); err != nil {
		t.Skipf("the corpus is not there, see docs/results.md: %v", err)
	}
}

// counted runs the second program.
func counted(t *testing.T, corpus string) counts {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skipf("there is no Python: %v", err)
	}
	command := exec.Command(python, "-B", "../../../conformance/adapters/python/tests/solast.py", corpus)
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var c counts
	if err := json.Unmarshal(out, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func countsOf(r *Report) counts {
	c := counts{map[string]map[string]int{}, map[string]map[string]int{}}
	for _, row := range r.Rows {
		c.Rows[row.Name()] = map[string]int{
			"loops": row.Recall.Of, "found": row.Recall.Part,
			"healthy": row.FalseAlarms.Of, "false_alarms": row.FalseAlarms.Part,
		}
	}
	for _, rule := range r.PairRules {
		c.Pairs[rule.Name] = map[string]int{"said": rule.Said, "right": rule.Right, "repeated": rule.Repeated}
	}
	return c
}

// TestEveryDetectorThatJudgesCalls is what the table has rows for when nobody chooses.
func TestEveryDetectorThatJudgesCalls(t *testing.T) {
	t.Parallel()
	contenders, err := Choice{}.Of(context.Background(), reference.Port(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range spec.Detectors() {
		has := slices.ContainsFunc(contenders, func(c Contender) bool { return c.Detector == d.ID })
		if calls := slices.Contains(d.Judges(), spec.ToolCall); has != calls && d.ID != spec.Swarm {
			t.Errorf("%s judges calls: %t; it stands in the table: %t", d.ID, calls, has)
		}
		if has && d.ID == spec.Swarm {
			t.Error("swarm demands a worker of each call, which recordings do not name")
		}
	}
}
