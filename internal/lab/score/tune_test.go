package score

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/internal/lab/label"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// callsInARow writes a log for each number: so many equal calls with equal results.
func callsInARow(t *testing.T, numbers ...int) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "logs")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, n := range numbers {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `{"type":"tool_call","tool":"t","args":{},"id":"c%d"}`+"\n", i)
			fmt.Fprintf(&b, `{"type":"tool_result","call":"c%d","content":"same"}`+"\n", i)
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.jsonl", n)), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// looping labels those of the logs that loop, and the others as healthy.
func looping(t *testing.T, all []int, loops ...int) Labels {
	t.Helper()
	var list []label.Label
	for _, n := range all {
		l := label.Label{Corpus: "logs", Run: fmt.Sprintf("%d.jsonl", n), Labeller: "ann", Steps: n, Finished: true}
		if slices.Contains(loops, n) {
			l.Spans = []label.Span{{First: 1, Last: n, Kind: label.Same}}
		}
		list = append(list, l)
	}
	return readLabels(t, labelFile(t, list...))
}

// tuned tunes rules that are given as JSON, on logs.
func tuned(t *testing.T, rules string, budget Budget, folder string, labels Labels) *Tuning {
	t.Helper()
	corpora, contenders := opened(t, Choice{Detectors: []string{"composed"}}, []string{folder})
	if labels != nil {
		if err := corpora[0].Label(labels); err != nil {
			t.Fatal(err)
		}
	}
	tuning, err := Tune(t.Context(), corpora, contenders[0], spec.MustParse(`{"rules":`+rules+`}`), budget, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tuning
}

func ruleAt(name string, counts ...int) string {
	var rungs []string
	for _, n := range counts {
		rungs = append(rungs, fmt.Sprintf(`{"name":"at-%d","at":%d}`, n, n))
	}
	return fmt.Sprintf(`{"name":%q,"rungs":[%s]}`, name, strings.Join(rungs, ","))
}

func TestTune(t *testing.T) {
	t.Parallel()
	logs := []int{2, 5, 7, 10}
	for _, test := range []struct {
		reason string
		rules  []string
		budget Budget
		loops  []int // nil if nobody labelled the logs
		want   []int
		lost   []int
		kept   bool
	}{
		{
			"healthy runs have 5 and 7 calls, and no alarm is allowed",
			[]string{ruleAt("r", 3)},
			0,
			[]int{10},
			[]int{8},
			[]int{5, 7},
			true,
		},
		{"the budget allows one alarm in 14 steps", []string{ruleAt("r", 3)}, 72, []int{10}, []int{6}, []int{5}, true},
		{"the budget is kept already, and nothing changes", []string{ruleAt("r", 3)}, 500, []int{10}, []int{3}, nil, true},
		{"without labels all alarms count", []string{ruleAt("r", 3)}, 0, nil, []int{11}, []int{5, 7, 10}, true},
		{
			"neither rule alone removes an alarm",
			[]string{ruleAt("a", 3), ruleAt("b", 3)},
			0,
			[]int{10},
			[]int{8, 8},
			[]int{5, 7},
			true,
		},
		{
			"the second rule is high enough",
			[]string{ruleAt("a", 3), ruleAt("b", 9)},
			0,
			[]int{10},
			[]int{8, 9},
			[]int{5, 7},
			true,
		},
		{"all counts of a rule rise together", []string{ruleAt("r", 3, 5)}, 0, []int{10}, []int{8}, []int{5, 7}, true},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			var labels Labels
			if test.loops != nil {
				labels = looping(t, logs, test.loops...)
			}
			got := tuned(t, "["+strings.Join(test.rules, ",")+"]", test.budget, callsInARow(t, logs...), labels)
			var proposed, lost []int
			for _, r := range got.Rules {
				proposed = append(proposed, r.Proposed)
			}
			for _, l := range got.Lost {
				var n int
				if _, err := fmt.Sscanf(l.Run.Name, "%d", &n); err != nil {
					t.Fatal(err)
				}
				lost = append(lost, n)
			}
			slices.Sort(lost)
			if diff := cmp.Diff(test.want, proposed); diff != "" || got.Kept != test.kept {
				t.Errorf("kept: %v, (-want +proposed): %s", got.Kept, diff)
			}
			if diff := cmp.Diff(test.lost, lost); diff != "" {
				t.Errorf("lost (-want +got): %s", diff)
			}
		})
	}
}

// TestTheProposalDoesWhatTuneSays scores the configuration that is proposed.
func TestTheProposalDoesWhatTuneSays(t *testing.T) {
	t.Parallel()
	logs := []int{2, 5, 7, 10}
	folder, labels := callsInARow(t, logs...), looping(t, logs, 10)
	tuning := tuned(t, "["+ruleAt("a", 3, 5)+","+ruleAt("b", 4)+"]", 0, folder, labels)
	choice := Choice{Detectors: []string{"composed"}, Configs: []Config{{Detector: spec.Composed, Value: tuning.Config}}}
	corpora, contenders := opened(t, choice, []string{folder})
	if err := corpora[0].Label(labels); err != nil {
		t.Fatal(err)
	}
	report, err := Score(t.Context(), corpora, contenders, nil)
	if err != nil {
		t.Fatal(err)
	}
	row := report.Rows[len(report.Rows)-1]
	if row.FalseAlarms.Part != 0 || row.Recall.Part != 1 || tuning.Proposed.Found.Part != 1 {
		t.Errorf("%s: %d false alarms, %d loops found", row.Name(), row.FalseAlarms.Part, row.Recall.Part)
	}
}

func TestABudgetThatNoCountKeepsIsTold(t *testing.T) {
	t.Parallel()
	got := tuned(t, "["+ruleAt("r", 3)+"]", 0, callsInARow(t, 40), looping(t, []int{40}))
	var b strings.Builder
	if err := got.WriteText(&b, 100); err != nil {
		t.Fatal(err)
	}
	if got.Kept || !strings.Contains(b.String(), "NOT KEPT") {
		t.Errorf("kept: %v\n%s", got.Kept, b.String())
	}
}

func TestTuneRefusesWhatHasNoCounts(t *testing.T) {
	t.Parallel()
	corpora, _ := opened(t, Choice{}, []string{callsInARow(t, 3)})
	composed, err := Choice{Detectors: []string{"composed"}}.Of(t.Context(), reference.Port(), "")
	if err != nil {
		t.Fatal(err)
	}
	for config, want := range map[string]string{
		`{"rules":["line-flood"]}`:            "rules/0 is no rule of composed",
		`{}`:                                  "the configuration has no rules",
		`{"rules":[{"name":"r","rungs":[]}]}`: "rules/0 has no rungs",
		`{"rules":[{"name":"r","rungs":[{"name":"a"}]}]}`: "rules/0/rungs/0 has no count",
	} {
		_, err := Tune(t.Context(), corpora, composed[0], spec.MustParse(config), 1, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", config, err, want)
		}
	}
}

// TestNoCountAboveAWindowIsProposed: a rule that looks at 5 items never counts 6, so it is left out, and this is told.
func TestNoCountAboveAWindowIsProposed(t *testing.T) {
	t.Parallel()
	logs := []int{7, 12}
	rules := `[{"name":"among","pattern":{"sort":"among","last":5},"rungs":[{"at":3}]},` + ruleAt("run", 3) + "]"
	got := tuned(t, rules, 0, callsInARow(t, logs...), looping(t, logs, 12))
	var b strings.Builder
	if err := got.WriteText(&b, 100); err != nil {
		t.Fatal(err)
	}
	if !got.Kept || !got.Rules[0].Never() || got.Rules[1].Proposed != 8 || !strings.Contains(b.String(), "NEVER: the rule among") {
		t.Errorf("kept: %v, proposed %v:\n%s", got.Kept, got.Rules, b.String())
	}
	if left := got.Config.Get("rules").Items(); len(left) != 1 || left[0].Get("name").Text() != "run" {
		t.Errorf("the configuration has the rules %v", left)
	}
}
