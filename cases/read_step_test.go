package cases

import (
	"strings"
	"testing"
)

// TestAMisspeltStepIsNearToARightOne: of the types of events as of all that a step may hold.
func TestAMisspeltStepIsNearToARightOne(t *testing.T) {
	t.Parallel()
	const head = "detector: history\ncases:\n  - id: history-x\n    title: t\n    clauses: [HI-1]\n    source: silent\n    why: w\n    steps:\n"
	for step, want := range map[string]string{
		"{toolcall: {tool: t}, expect: {loop: false}}":  `x.yaml:9:10: unknown member "toolcall"; did you mean "tool_call"?`,
		"{tool_call: {tool: t}, expcet: {loop: false}}": `x.yaml:9:32: unknown member "expcet"; did you mean "expect"?`,
		"{something: {tool: t}, expect: {loop: false}}": `unknown member "something"; there are batch, delta, error, event, `,
	} {
		_, err := Parse("x.yaml", []byte(head+"      - "+step+"\n"))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", step, err, want)
		}
	}
}
