package score

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/internal/lab/label"
)

// labelFile writes labels into a file.
func labelFile(t *testing.T, labels ...label.Label) string {
	t.Helper()
	var text strings.Builder
	for _, l := range labels {
		if err := json.NewEncoder(&text).Encode(l); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "labels.jsonl")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func labelOf(run string, spans ...label.Span) label.Label {
	steps := map[string]int{"builds.jsonl#stuck": 5}[run]
	return label.Label{
		Corpus: "own", Run: run, Labeller: "ann", Steps: max(3, steps), Spans: append([]label.Span{}, spans...), Finished: true,
	}
}

// scoredBy scores the corpus own, with labels.
func scoredBy(t *testing.T, labels Labels) (*Corpus, *Report) {
	t.Helper()
	corpora, contenders := opened(t, Choice{Detectors: []string{"history"}}, []string{"testdata/own"})
	if err := corpora[0].Label(labels); err != nil {
		t.Fatal(err)
	}
	report, err := Score(t.Context(), corpora, contenders, nil)
	if err != nil {
		t.Fatal(err)
	}
	return corpora[0], report
}

func readLabels(t *testing.T, paths ...string) Labels {
	t.Helper()
	labels, err := ReadLabels(t.Context(), paths)
	if err != nil {
		t.Fatal(err)
	}
	return labels
}

func TestLabelsOfAFileCountBeforeThoseOfTheCorpus(t *testing.T) {
	t.Parallel()
	open, unsure := labelOf("builds.jsonl#stuck"), labelOf("builds.jsonl#fixed",
		label.Span{First: 1, Last: 3, Kind: label.Same})
	open.Finished, unsure.Unsure = false, true
	corpus, _ := scoredBy(t, readLabels(t, labelFile(t,
		open, unsure, labelOf("poll.jsonl", label.Span{First: 1, Last: 3, Kind: label.InVain}))))
	if corpus.Problem != nil || corpus.Loops != 2 || corpus.Healthy != 1 {
		t.Errorf("%d loops, %d healthy, problem %v; want the poll as a second loop", corpus.Loops, corpus.Healthy,
			corpus.Problem)
	}

	later := labelFile(t, labelOf("poll.jsonl"), labelOf("builds.jsonl#stuck"))
	corpus, report := scoredBy(t, readLabels(t,
		labelFile(t, labelOf("poll.jsonl", label.Span{First: 1, Last: 3, Kind: label.Same})), later))
	if corpus.Loops != 0 || corpus.Healthy != 3 {
		t.Errorf("%d loops, %d healthy; want the later file to count", corpus.Loops, corpus.Healthy)
	}
	if report.Rows[0].FalseAlarms.Of != 3 {
		t.Errorf("false alarms of %d runs, want 3", report.Rows[0].FalseAlarms.Of)
	}
}

func TestTheDelayCountsFromTheThirdStepOfAMarkedLoop(t *testing.T) {
	t.Parallel()
	_, early := scoredBy(t,
		readLabels(t, labelFile(t, labelOf("builds.jsonl#stuck", label.Span{First: 1, Last: 5, Kind: label.Same}))))
	_, late := scoredBy(t,
		readLabels(t, labelFile(t, labelOf("builds.jsonl#stuck", label.Span{First: 3, Last: 5, Kind: label.Same}))))
	a, _, _, _ := early.Rows[0].Latency.Median()
	b, _, _, ok := late.Rows[0].Latency.Median()
	if !ok || a-b != 2 {
		t.Errorf("delays %d and %d; want them two steps apart, as the loops are", a, b)
	}
}

func TestLabelsThatDoNotFitAreTold(t *testing.T) {
	t.Parallel()
	corpus, _ := scoredBy(t, readLabels(t, labelFile(t, labelOf("poll.jsonl"), labelOf("gone.jsonl"))))
	if corpus.Problem == nil ||
		!strings.Contains(corpus.Problem.Error(), "labels or a sample name runs that it does not hold: gone.jsonl") {
		t.Errorf("got %v", corpus.Problem)
	}
	longer := labelOf("poll.jsonl")
	longer.Steps = 4
	corpora, contenders := opened(t, Choice{Detectors: []string{"history"}}, []string{"testdata/own"})
	if err := corpora[0].Label(readLabels(t, labelFile(t, longer))); err != nil {
		t.Fatal(err)
	}
	if _, err := Score(t.Context(), corpora, contenders, nil); err == nil ||
		!strings.Contains(err.Error(), "the label of poll.jsonl in own is of a run of 4 steps, but the run has 3") {
		t.Errorf("got %v", err)
	}
	elsewhere := labelOf("poll.jsonl")
	elsewhere.Corpus = "other"
	if err := corpora[0].Label(readLabels(t, labelFile(t, elsewhere))); err == nil {
		t.Error("labels of another corpus match nothing, and nobody says so")
	}
}

// Whatever a corpus is made of, a label that is made of its runs is found again.
func TestEveryRunIsFoundByItsLabel(t *testing.T) {
	t.Parallel()
	for _, path := range []string{
		"testdata/own", "testdata/own/corpus.yaml", "testdata/own/builds.jsonl", study,
		"testdata/outcomes",
	} {
		corpora, _ := opened(t, Choice{}, []string{path})
		runs, err := NewLabelling(t.Context(), corpora[0])
		if err != nil {
			t.Fatal(err)
		}
		var list []label.Label
		for _, r := range runs.Runs() {
			l := labelOf(r.Run, label.Span{First: 1, Last: 3, Kind: label.Same})
			l.Corpus = r.Corpus
			steps, err := runs.Steps(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if l.Steps = len(steps); l.Steps < 3 {
				l.Spans = nil
			}
			list = append(list, l)
		}
		again, contenders := opened(t, Choice{Detectors: []string{"history"}}, []string{path})
		if err := again[0].Label(readLabels(t, labelFile(t, list...))); err != nil {
			t.Fatal(err)
		}
		if _, err := Score(t.Context(), again, contenders, nil); err != nil {
			t.Fatal(err)
		}
		if again[0].Problem != nil || again[0].Loops == 0 || again[0].Loops+again[0].Healthy != len(list) {
			t.Errorf("%s: %d loops and %d healthy of %d labels; %v", path, again[0].Loops, again[0].Healthy, len(list),
				again[0].Problem)
		}
	}
}

func TestWhatTheCorpusSaysIsALabelToo(t *testing.T) {
	t.Parallel()
	corpora, _ := opened(t, Choice{}, []string{"testdata/own"})
	runs, err := NewLabelling(t.Context(), corpora[0])
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(runs.Own(), func(l label.Label) bool { return l.Run == "builds.jsonl#stuck" })
	if i < 0 || !cmp.Equal(runs.Own()[i].Spans, []label.Span{{First: 1, Last: 5, Kind: label.Same}}) {
		t.Errorf("own labels: %v", runs.Own())
	}
}

func TestAStepIsShownWithWhatWasSaidBefore(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	log := `{"run":{"name":"a"}}
{"type":"message","role":"user","content":"Go."}
{"type":"tool_call","tool":"bash","args":{"command":"make"},"id":"c1","thought":"Again."}
{"type":"tool_result","call":"c1","content":"no","ok":false}
{"type":"message","role":"assistant","content":"Done."}
`
	if err := os.WriteFile(filepath.Join(folder, "a.jsonl"), []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	corpora, _ := opened(t, Choice{}, []string{folder})
	runs, err := NewLabelling(t.Context(), corpora[0])
	if err != nil {
		t.Fatal(err)
	}
	steps, err := runs.Steps(t.Context(), runs.Runs()[0])
	if err != nil {
		t.Fatal(err)
	}
	no := "no"
	want := []label.Step{{
		Before: []string{"user: Go.", "Again."}, Tool: "bash", Args: `{"command":"make"}`, Result: &no,
		After: []string{"assistant: Done."},
	}}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Error(diff)
	}
}

// TestLabelsOfWhichNoneFitsAreTold: that no run has a label is not the reason. A run that a label does not fit is there,
// and so are the runs behind it in its file.
func TestLabelsOfWhichNoneFitsAreTold(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "own")
	call := `{"type":"tool_call","tool":"bash","args":{}}` + "\n"
	text := `{"run":{"name":"one"}}` + "\n" + call + `{"run":{"name":"two"}}` + "\n" + call
	if err := errors.Join(os.Mkdir(folder, 0o700), os.WriteFile(filepath.Join(folder, "a.jsonl"), []byte(text), 0o600),
		os.WriteFile(filepath.Join(folder, "b.jsonl"), []byte(call), 0o600)); err != nil {
		t.Fatal(err)
	}
	unfit := label.Label{Corpus: "own", Run: "a.jsonl#one", Labeller: "ann", Steps: 3, Spans: []label.Span{}, Finished: true}
	open := unfit
	open.Run, open.Finished, open.Steps = "a.jsonl#two", false, 1
	gone := unfit
	gone.Run = "gone.jsonl"
	corpora, contenders := opened(t, Choice{Detectors: []string{"history"}}, []string{folder})
	if err := corpora[0].Label(readLabels(t, labelFile(t, unfit, open, gone))); err != nil {
		t.Fatal(err)
	}
	_, err := Score(t.Context(), corpora, contenders, nil)
	for _, want := range []string{
		"no run has a label", "the label of a.jsonl#one in own is of a run of 3 steps, but the run has 1",
		"runs that it does not hold: gone.jsonl",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
