package playground_test

import (
	"context"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/site/playground"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

const call = `{"type":"tool_call","tool":"ls","args":{}}`

// The same three calls, in each form that a person may paste.
var forms = map[string]string{
	"events in YAML": strings.Repeat("- {type: tool_call, tool: ls, args: {}}\n", 3),
	"steps of a case": "steps:\n  - tool_call: {tool: ls, args: {}}\n    times: 2\n" +
		"  - event: {type: tool_call, tool: ls, args: {}}\n    expect: {loop: true}\n",
	"JSON":             "[" + call + "," + call + "," + call + "]",
	"recorded events":  strings.Repeat(call+"\n", 3),
	"a comment before": "# mine\n- tool_call: {tool: ls, args: {}}\n  times: 3\n",
}

var lane = spec.MustParse(`{"detector":"history","reading":"code"}`)

func TestEachFormIsJudged(t *testing.T) {
	t.Parallel()
	for name, text := range forms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := playground.New(reference.Port())
			if _, err := p.Load(text); err != nil {
				t.Fatal(err)
			}
			got, err := p.Judge(context.Background(), 0, spec.ArrayValue(lane))
			if err != nil {
				t.Fatal(err)
			}
			said := got.Get("lanes").Items()[0]
			if first, _ := said.Get("first").Int(); first != 2 || len(said.Get("verdicts").Items()) != 3 {
				t.Errorf("the lane says %s, want a first loop after event 3", said)
			}
		})
	}
}

func TestWhatIsWrongIsSaid(t *testing.T) {
	t.Parallel()
	tests := []struct{ reason, text, problem string }{
		{"no list", "a: 1\n", "want a list of events"},
		{"nothing", "[]", "the list has no event"},
		{"an event of no type", "- {tool: ls}\n", "event 1: "},
		{"broken YAML", "- {type: [\n", "trace:"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			p := playground.New(reference.Port())
			_, err := p.Load(test.text)
			if err == nil || !strings.Contains(err.Error(), test.problem) {
				t.Errorf("the problem is %v, want %s", err, test.problem)
			}
			if _, err := p.Judge(context.Background(), 0, spec.ArrayValue(lane)); err == nil {
				t.Error("a trace that could not be read was judged")
			}
		})
	}
}

func TestALaneThatIsRefusedSaysWhy(t *testing.T) {
	t.Parallel()
	p := playground.New(reference.Port())
	if _, err := p.Load(forms["JSON"]); err != nil {
		t.Fatal(err)
	}
	got, err := p.Judge(context.Background(), 0, spec.MustParse(`[{"detector":"swarm","reading":"text"},
		{"detector":"history","reading":"code","config":{"repeat_threshold":0}}]`))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"worker", "repeat_threshold"} {
		if refused, _ := got.Get("lanes").Items()[i].Get("refused").Str(); !strings.Contains(refused, want) {
			t.Errorf("lane %d was refused with %q, want something on %s", i+1, refused, want)
		}
	}
}

// TestCaseIsOne shows that the suite's reader takes what is copied, and that it demands what the reference does.
func TestCaseIsOne(t *testing.T) {
	t.Parallel()
	p := playground.New(reference.Port())
	if _, err := p.Load(forms["JSON"]); err != nil {
		t.Fatal(err)
	}
	text, err := p.Case(context.Background(), 0, lane)
	if err != nil {
		t.Fatal(err)
	}
	read, err := cases.Parse("copied.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if len(read) != 1 || len(read[0].Steps) != 3 || len(read[0].Steps[2].Expect) != 1 {
		t.Errorf("the case is %s", text)
	}
}
