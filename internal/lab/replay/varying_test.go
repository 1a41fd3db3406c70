package replay

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/lab/agentlogs"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// TestResultsThatDifferOnlyInNumbers: a line says so, and only then.
func TestResultsThatDifferOnlyInNumbers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason  string
		command func(i int) string
		content func(i int) string
		want    string
	}{
		{
			"seconds", func(int) string { return "pytest -q" }, func(i int) string { return fmt.Sprintf("1 failed in %d.1%ds", i, i) },
			"5 equal calls return results that differ only in numbers (events 2 to 10): bash pytest -q.",
		},
		{
			"the number has more digits", func(int) string { return "ls" }, func(i int) string { return fmt.Sprint(9 + i*1000) },
			"5 equal calls",
		},
		{"equal results", func(int) string { return "ls" }, func(int) string { return "3 files" }, ""},
		{"other words", func(int) string { return "ls" }, func(i int) string { return strings.Repeat("a ", i) }, ""},
		{
			"other calls", func(i int) string { return fmt.Sprint("sleep ", i) },
			func(i int) string { return fmt.Sprintf("%d seconds", i) }, "",
		},
		{"too few in a row", func(int) string { return "ls" }, func(i int) string { return fmt.Sprint(i, i/2) + "abcde"[i/2:i/2+1] }, ""},
	} {
		var events []spec.Value
		for i := range 5 {
			events = append(events, call(t, "bash", test.command(i)), result(t, test.content(i)))
		}
		lines := strings.Join(watched(t, reference.Port(), events).Varying(), "\n")
		if !strings.HasPrefix(lines, test.want) || test.want == "" && lines != "" {
			t.Errorf("%s: got %q, want %q", test.reason, lines, test.want)
		}
	}
}

// TestVaryingCallsAreKeptInBounds: calls without results, and more different calls than are kept.
func TestVaryingCallsAreKeptInBounds(t *testing.T) {
	t.Parallel()
	var v varying
	say := func(text string) { e := event(t, text); v.observe(e, momentOf(agentlogs.Event{Value: e}, 0)) }
	for i := range 3 * keptVaried {
		say(fmt.Sprintf(`{"type":"tool_call","tool":"a","args":{"n":%d}}`, i))
	}
	if len(v.calls) != keptVaried || len(v.waiting) != keptWaiting {
		t.Errorf("%d calls and %d without a result are kept", len(v.calls), len(v.waiting))
	}
	v = varying{}
	for i := range 3 * (mostVaried + 2) {
		say(fmt.Sprintf(`{"type":"tool_call","tool":"a","args":{"n":%d}}`, i%(mostVaried+2)))
		say(fmt.Sprintf(`{"type":"tool_result","content":"%d"}`, i))
	}
	r := Replay{varying: v}
	if lines := r.Varying(); len(lines) != mostVaried+1 || lines[mostVaried] != "The same holds for 2 calls more." {
		t.Errorf("got %q", lines)
	}
}
