package playground_test

import (
	"context"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/tools/site/playground"
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
		{"too many in all", strings.Repeat("- {tool_call: {tool: ls}, times: 60000}\n", 2), "event 2: the steps repeat more"},
		{"too many at once", "- {tool_call: {tool: ls}, times: 1000000}\n", "times: want an integer from 1 to"},
		{"fewer than none", "- {tool_call: {tool: ls}, times: -1}\n", "times: want an integer from 1 to"},
		{"no number of times", "- {tool_call: {tool: ls}, times: often}\n", "times: want an integer from 1 to"},
		{
			"nested too deep", "- {tool_call: {tool: ls, args: {a: " + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "}}}\n",
			"nested more than 100 levels",
		},
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

// TestCaseIsReadWithAnyCharacter: characters that YAML forbids or takes for a line end, and those that nobody sees.
func TestCaseIsReadWithAnyCharacter(t *testing.T) {
	t.Parallel()
	for _, r := range []rune{0x7F, 0x85, 0xA0, 0x200B, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF, 0x1F600, 0xE0001} {
		event := spec.MustParse(call).With("tool", spec.StringValue("a"+string(r)+"b"))
		p := playground.New(reference.Port())
		if _, err := p.Load("[" + event.String() + "]"); err != nil {
			t.Fatal(err)
		}
		text, err := p.Case(context.Background(), 0, lane)
		if err != nil {
			t.Fatal(err)
		}
		read, err := cases.Parse("copied.yaml", []byte(text))
		if err != nil {
			t.Errorf("%U: %v", r, err)
			continue
		}
		if got := read[0].Steps[0].Events[0]; got.String() != event.String() {
			t.Errorf("%U: the case has %s, want %s", r, got, event)
		}
	}
}
