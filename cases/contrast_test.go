package cases

import (
	"strings"
	"testing"

	"github.com/loopstone/loopstone/spec"
)

// silentCase is silent in three steps, the second of which is taken twice.
const silentCase = caseHead + `    config: {history_size: 5}
    steps:
      - tool_call: {tool: a}
      - tool_call: {tool: b}
        times: 2
      - tool_call: {tool: c}
        expect: {loop: false}
`

// TestContrasts: a contrast has the steps of its case but for one, and compares its last verdict alone.
func TestContrasts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ contrast, tools, config, reason string }{
		{"again: 2", "abbbc", "5", "a step that is taken twice is taken once more"},
		{"without: 2", "abc", "5", "a step that is taken twice is taken once less"},
		{"without: 1", "bbc", "5", "a step that is taken once is left out"},
		{"change: 3, like: 2", "abbb", "5", "only the event comes from the other step"},
		{"change: 1, to: {tool_call: {tool: d}}", "dbbc", "5", "an event that the case does not have"},
		{"change: 1, like: 2, until: 2", "bbb", "5", "a contrast may end before its case"},
		{"without: 3", "abb", "5", "a contrast may end with a step of several events"},
		{"config: {history_size: 6}", "abbc", "6", "the steps stay where a setting is changed"},
	} {
		text := silentCase + "    contrast: {" + test.contrast + ", expect: {loop: true, kind: repeat}}\n"
		all, err := Parse("x.yaml", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", test.contrast, err)
			continue
		}
		halves := all[0].Halves()
		if got := toolsOf(halves[0].Case); got != "abbc" || halves[0].Contrast != nil {
			t.Errorf("%s: the case itself has become %s", test.contrast, got)
		}
		if got := toolsOf(halves[1].Case); got != test.tools || halves[1].Config.Get("history_size").String() != test.config {
			t.Errorf("%s: %s: got %s with %s", test.contrast, test.reason, got, halves[1].Config)
		}
		checkLastAlone(t, test.contrast, halves[1].Case)
		again, err := Parse("x.yaml", Write(all...))
		if err != nil || !again[0].Demand().Equal(all[0].Demand()) {
			t.Errorf("%s: written and read again: %v\n%s", test.contrast, err, Write(all...))
		}
	}
}

// toolsOf returns the tools of all calls that a case observes.
func toolsOf(c Case) (tools string) {
	for _, step := range c.Steps {
		for _, event := range step.Observed() {
			tool, _ := event.Get("tool").Str()
			tools += tool
		}
	}
	return tools
}

// checkLastAlone checks that a contrast expects a loop of its last event, and nothing of any other.
func checkLastAlone(t *testing.T, name string, contrast Case) {
	t.Helper()
	var compared []int
	for _, step := range contrast.Steps {
		for i := range step.Observed() {
			if len(step.Expect) == 0 {
				compared = append(compared, 0)
				continue
			}
			compared = append(compared, len(step.Expect[i].Members))
		}
	}
	for i, members := range compared {
		if isLast := i == len(compared)-1; isLast != (members == 2) {
			t.Errorf("%s: event %d is compared in %d members", name, i+1, members)
		}
	}
}

func TestContrastsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ contrast, want string }{
		{"contrast: {expect: {loop: true}}", "one change"},
		{"contrast: {again: 1, without: 1, expect: {loop: true}}", "one change"},
		{"contrast: {change: 1, expect: {loop: true}}", "one change"},
		{"contrast: {again: 1, like: 2, expect: {loop: true}}", "one change"},
		{"contrast: {again: 1, expect: {loop: false}}", "want loop: true"},
		{"contrast: {again: 4, expect: {loop: true}}", "there is no step 4"},
		{"contrast: {change: 2, like: 1, expect: {loop: true}}", "step 2 is not one event"},
		{"contrast: {change: 1, like: 1, expect: {loop: true}}", "step 1 has that event already"},
		{"contrast: {change: 1, to: {tool_call: {tool: a}}, expect: {loop: true}}", "step 1 has that event already"},
		{"contrast: {change: 1, to: {reset: true}, expect: {loop: true}}", "want one event"},
		{"contrast: {again: 1, until: 3, expect: {loop: true}}", "the last of the contrast, which has 3"},
		{"contrast: {config: {history_size: 5}, expect: {loop: true}}", "got 0 differences"},
		{"contrast: {config: {history_size: 6, repeat_threshold: 2}, expect: {loop: true}}", "got 2 differences"},
		{"no_contrast: none\n    contrast: {again: 1, expect: {loop: true}}", "no reason to have none"},
	} {
		_, err := Parse("x.yaml", []byte(silentCase+"    "+test.contrast+"\n"))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.contrast, err, test.want)
		}
	}
	loop := strings.Replace(silentCase, "loop: false", "loop: true", 1)
	for _, speaking := range []string{
		loop,
		strings.Replace(silentCase, "expect: {loop: false}", "fault: {kind: invalid_event}", 1),
	} {
		_, err := Parse("x.yaml", []byte(speaking+"    no_contrast: none\n"))
		if err == nil || !strings.Contains(err.Error(), "only a case that demands silence") {
			t.Errorf("got %v for a case that is not silent", err)
		}
	}
}

// TestSilentCasesNeedContrasts: lint names a silent case that has neither a contrast nor a reason.
func TestSilentCasesNeedContrasts(t *testing.T) {
	t.Parallel()
	for contrast, want := range map[string]bool{
		"": true, "    no_contrast: none\n": false,
		"    contrast: {again: 1, expect: {loop: true}}\n": false,
	} {
		all, err := Parse("x.yaml", []byte(silentCase+contrast))
		if err != nil {
			t.Fatal(err)
		}
		if problem := LintContrasts(all); (problem != nil) != want {
			t.Errorf("%q: %v", contrast, problem)
		}
	}
}

// TestDifferences: settings are counted one by one, however deep they stand.
func TestDifferences(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		want int
	}{
		{`{"a":1}`, `{"a":1}`, 0},
		{`{"a":1}`, `{"a":2}`, 1},
		{`{"a":1}`, `{"a":1,"b":2}`, 1},
		{`{"a":1,"b":2}`, `{"a":1}`, 1},
		{`{"a":[{"b":1,"c":2}]}`, `{"a":[{"b":3,"c":4}]}`, 2},
		{`{"a":[1]}`, `{"a":[1,2]}`, 1},
	} {
		a, errA := spec.ParseValue([]byte(test.a))
		b, errB := spec.ParseValue([]byte(test.b))
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if got := differences(a, b); got != test.want {
			t.Errorf("%s and %s: got %d, want %d", test.a, test.b, got, test.want)
		}
	}
	if b, _ := spec.ParseValue([]byte(`{"a":1}`)); differences(spec.Value{}, b) != 1 {
		t.Error("one setting differs from the defaults")
	}
}
