package agentlogs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/spec"
)

// layout writes files below a folder of the layout, and returns the folder.
func layout(t *testing.T, files map[string]string) string {
	t.Helper()
	below := map[string]string{}
	for name, text := range files {
		below["trajectories/"+name] = text
	}
	return folderOf(t, below)
}

// told returns the events and notes of all runs of a folder, one a line.
func told(t *testing.T, folder string) []string {
	t.Helper()
	runs, err := solaSTRuns(folder)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, run := range runs {
		lines = append(lines, "run "+run.Agent+"/"+run.Name)
		err := readSolaST(t.Context(), run, Sink{
			Event: func(e Event) error {
				lines = append(lines, fmt.Sprintf("%d %s", e.Place.Line, e.Value))
				return nil
			},
			Note: func(n Note) { lines = append(lines, fmt.Sprintf("note %d %s", n.Place.Line, n.Text)) },
		})
		if err != nil {
			lines = append(lines, "error "+strings.ReplaceAll(err.Error(), folder, "ROOT"))
		}
	}
	return lines
}

const noFlags = "note 0 does not say whether a call failed"

func TestReadSolaST(t *testing.T) {
	t.Parallel()
	for _, each := range []struct {
		reason string
		files  map[string]string
		want   []string
	}{
		{
			"arguments are an object, or the text of one; a result ends where the next step is told",
			map[string]string{
				"a/parsed/actions_actions/experiment_12_Math_1": "Action at iteration 0: {'name': 'read', 'args': {'n': 1}}\n" +
					"Action at iteration 1: {\"name\": \"sh\", \"arguments\": \"{\\\"command\\\": \\\"ls\\\"}\"}\n",
				"a/parsed/results_actions/experiment_12_Math_1": "Result at iteration 0: one\ntwo\n; Action at iteration1 : {'name'}\n---\n" +
					"Result at iteration 1: three; Next action: END OF TRAJECTORY\n---\n",
			},
			[]string{
				"run a/Math_1", noFlags,
				`1 {"type":"tool_call","tool":"read","args":{"n":1},"id":"0"}`,
				`1 {"type":"tool_result","content":"one\ntwo","call":"0"}`,
				`2 {"type":"tool_call","tool":"sh","args":{"command":"ls"},"id":"1"}`,
				`5 {"type":"tool_result","content":"three","call":"1"}`,
			},
		},
		{
			"plain text is a call of that name; a blank result is a result; the last step has none",
			map[string]string{
				"b/parsed/action_actions/x.txt":  "Action at Iteration 0: Analyze\n\nAction at Iteration 1: f(\"x\")\n",
				"b/parsed/results_actions/x.txt": "Result at Iteration 0: \nAction at Iteration 1: f(\"x\")\n",
			},
			[]string{
				"run b/x", noFlags,
				`1 {"type":"tool_call","tool":"Analyze","args":{},"id":"0"}`,
				`1 {"type":"tool_result","content":"","call":"0"}`,
				`3 {"type":"tool_call","tool":"f(\"x\")","args":{},"id":"1"}`,
			},
		},
		{
			"a result that is missing belongs to its number, and shifts no other",
			map[string]string{
				"c/parsed/actions_actions/x": "Action at iteration 0: A\nAction at iteration 1: B\nAction at iteration 2: C\n",
				"c/parsed/results_actions/x": "Result at iteration 0: a\n---\nResult at iteration 2: c\n---\n",
			},
			[]string{
				"run c/x", noFlags,
				`1 {"type":"tool_call","tool":"A","args":{},"id":"0"}`,
				`1 {"type":"tool_result","content":"a","call":"0"}`,
				`2 {"type":"tool_call","tool":"B","args":{},"id":"1"}`,
				`3 {"type":"tool_call","tool":"C","args":{},"id":"2"}`,
				`3 {"type":"tool_result","content":"c","call":"2"}`,
			},
		},
		{
			"of numbers that repeat nobody knows which result is whose",
			map[string]string{"d/parsed/actions_actions/x": "Action at iteration 0: A\nAction at iteration 0: B\n"},
			[]string{"run d/x", "error ROOT/trajectories/d/parsed/actions_actions/x:2: the number 0 comes after 0"},
		},
		{
			"odd quoting is told and taken as text; arguments that are no object keep what they are; no file of results",
			map[string]string{
				"e/parsed/actions_actions/x": "Action at iteration 0: {'name': 'w', 'args': {'t': 'it's'}}\n" +
					"Action at iteration 1: {'name': 'w', 'args': 'not JSON'}\nAction at iteration 2: {'name': 'w'}\n",
			},
			[]string{
				"run e/x", "note 0 has no file of results, so no result is known",
				"note 1 an action that is neither JSON nor a Python literal was taken as plain text",
				`1 {"type":"tool_call","tool":"{'name': 'w', 'args': {'t': 'it's'}}","args":{},"id":"0"}`,
				`2 {"type":"tool_call","tool":"w","args":{"arguments":"not JSON"},"id":"1"}`,
				`3 {"type":"tool_call","tool":"w","args":{},"id":"2"}`,
			},
		},
		{
			"a thought is that of the call with its number, without the action that follows it",
			map[string]string{
				"t/parsed/actions_actions/x":  "Action at iteration 0: A\nAction at iteration 1: B\n",
				"t/parsed/results_actions/x":  "Result at iteration 0: a\n---\n",
				"t/parsed/thoughts_actions/x": "Thought and Action at iteration 1: Thought=now\nB; Action={'name': 'B'}\n---\n",
				"u/parsed/action_actions/x":   "Action at Iteration 0: A\n",
				"u/parsed/thoughts_actions/x": "Thought at Iteration 0: first A\nAction at Iteration 0: A\n",
			},
			[]string{
				"run t/x", noFlags,
				`1 {"type":"tool_call","tool":"A","args":{},"id":"0"}`,
				`1 {"type":"tool_result","content":"a","call":"0"}`,
				`2 {"type":"tool_call","tool":"B","args":{},"id":"1","thought":"now\nB"}`,
				"run u/x", "note 0 has no file of results, so no result is known",
				`1 {"type":"tool_call","tool":"A","args":{},"id":"0","thought":"first A"}`,
			},
		},
		{
			"a file without blocks is no run",
			map[string]string{"f/parsed/actions_actions/x": "nothing of the kind\n"},
			[]string{
				"run f/x", "note 0 has no file of results, so no result is known",
				`error ROOT/trajectories/f/parsed/actions_actions/x: no block begins with "Action at iteration"`,
			},
		},
		{
			"bytes that are not UTF-8 stay apart, as escapes",
			map[string]string{"h/parsed/actions_actions/x": "Action at iteration 0: caf\xe8\nAction at iteration 1: caf\xe9\n"},
			[]string{
				"run h/x", "note 0 has no file of results, so no result is known",
				`1 {"type":"tool_call","tool":"caf\\xe8","args":{},"id":"0"}`,
				`2 {"type":"tool_call","tool":"caf\\xe9","args":{},"id":"1"}`,
			},
		},
		{"another folder", map[string]string{"g/x": "y"}, nil},
	} {
		t.Run(each.reason, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(each.want, told(t, layout(t, each.files))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadLiteral(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ reason, text, want string }{
		{"words of Python", `{'a': None, "b": [True, False]}`, `{"a":null,"b":[true,false]}`},
		{"words within texts stay", `{'None': "True"}`, `{"None":"True"}`},
		{"quotes of the other kind", `{'it': "it's", 'q': 'a "b"'}`, `{"it":"it's","q":"a \"b\""}`},
		{"escaped quotes", `'\'\"'`, `"'\""`},
		{"escapes", `'\n\t\\\x41\u00e9\U0001F600'`, `"\n\t\\Aé😀"`},
		{"half of a surrogate pair", `'caf\udce9'`, `"caf\\udce9"`},
		{"JSON within a text", `{'command': '{"path": "a\\n", "n": [1]}'}`, `{"command":"{\"path\": \"a\\n\", \"n\": [1]}"}`},
		{"a number as it is spelled", `[1e-7, -3, 123456789012345678901234567890]`, `[1e-7,-3,123456789012345678901234567890]`},
		{"odd quoting", `{'text': 'it's odd'}`, ""},
		{"a text without its end", `'a`, ""},
		{"more after the value", `{'a': 1} {}`, ""},
		{"a call", `f('x')`, ""},
		{"nested too deep", strings.Repeat("[", 100_000), ""},
	} {
		got, err := readLiteral(tt.text)
		if want := tt.want; (err != nil) != (want == "") || err == nil && !got.Equal(spec.MustParse(want)) {
			t.Errorf("%s: want %s, got %s, %v", tt.reason, want, got, err)
		}
	}
}
