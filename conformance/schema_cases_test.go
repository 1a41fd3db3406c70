package conformance_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/strictyaml"
	"github.com/loopstone/loopstone/spec"
)

// suite returns the built-in cases.
func suite(t testing.TB) []cases.Case {
	t.Helper()
	all, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestEveryCaseFileIsValid(t *testing.T) {
	t.Parallel()
	schema := compileSchema(t, "cases")
	paths, err := fs.Glob(cases.Files(), "*/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("case files: %v, %v", paths, err)
	}
	for _, path := range paths {
		text, err := fs.ReadFile(cases.Files(), path)
		if err != nil {
			t.Fatal(err)
		}
		document, err := strictyaml.Parse(path, text)
		if err != nil {
			t.Error(err)
			continue
		}
		if err := check(schema, document.Value()); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// What is exported as JSON is in the same format, so the same schema holds for it.
func TestEveryExportedCaseIsValid(t *testing.T) {
	t.Parallel()
	schema := compileSchema(t, "cases")
	for _, c := range suite(t) {
		file := spec.ObjectValue(
			spec.Member{Name: "detector", Value: spec.StringValue(string(c.Detector))},
			spec.Member{Name: "cases", Value: spec.ArrayValue(c.Demand())},
		)
		if err := check(schema, file); err != nil {
			t.Errorf("case %s: %v\n%s", c.ID, err, file)
		}
	}
}

// goodTrace, goodCall, goodRefusal and goodExchange are files that the loader and the schema accept. A bad file is one
// of them with one text replaced.
const (
	goodTrace = `detector: history
cases:
  - id: history-a-case
    title: A title
    clauses: [HI-1, HI-2]
    source: D3#implementation
    example: true
    readings: [code]
    needs: [snapshot, evidence]
    tags: [window]
    why: A reason
    config: {repeat_threshold: 2}
    steps:
      - tool_call: {tool: t, args: {path: a}}
        times: 2
        session: other
        expect: {loop: true, kind: repeat, message: null, tool: {contains: [a]}, count: {differs: 1}}
      - event: {type: tool_call}
        fault: {kind: invalid_event, field: tool}
      - batch: [{type: tool_call, tool: t}, {type: output, text: x}]
        expect: [{loop: false}, {count: null}]
      - snapshot: early
      - reset: true
      - restore: early
      - restore: {calls: 5}
        fault: {kind: invalid_state}
`
	goodCall = `detector: history
cases:
  - id: history-a-call
    title: A title
    clauses: [HI-1]
    source: silent
    why: A reason
    call: {function: history.hash, args: {tool: t, args: {}}}
    result: {same_as: {tool: t}}
`
	goodRefusal = `detector: fingerprint
cases:
  - id: fingerprint-a-refusal
    title: A title
    clauses: [FP-1]
    source: silent
    why: A reason
    config: {window: false}
    refuse: {kind: invalid_config, field: window}
`
	goodExchange = `detector: protocol
cases:
  - id: protocol-an-exchange
    title: A title
    clauses: [PR-1]
    source: silent
    why: A reason
    exchange:
      - send: {id: 1, method: shutdown}
        pad: 3
      - raw: "{}"
        split: [1]
      - receive: {id: 1}
      - close: true
      - exit: 0
`
)

func TestSchemaAndLoaderAcceptTheGoodFiles(t *testing.T) {
	t.Parallel()
	for _, text := range []string{goodTrace, goodCall, goodRefusal, goodExchange} {
		judgeFile(t, text, true, "the file is as it should be")
	}
}

func TestSchemaAndLoaderRefuseBadFiles(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file, old, new string
		reason         string
	}{
		{goodTrace, "detector: history", "detector: histories", "no such detector"},
		{goodTrace, "detector: history\n", "", "the detector is missing"},
		{goodTrace, "cases:\n", "notes: x\ncases:\n", "unknown member of the file"},
		{goodTrace, "id: history-a-case", "id: crow-a-case", "the id begins with another detector"},
		{goodTrace, "id: history-a-case", "id: history-A_case", "the id is no slug"},
		{goodTrace, "id: history-a-case", "id: history", "the id is the detector's name alone"},
		{goodTrace, "    title: A title\n", "", "the title is missing"},
		{goodTrace, "title: A title", `title: ""`, "the title is empty"},
		{goodTrace, "title: A title", "title: 5", "the title is a number"},
		{goodTrace, "clauses: [HI-1, HI-2]", "clauses: []", "no clause"},
		{goodTrace, "clauses: [HI-1, HI-2]", "clauses: HI-1", "the clauses are no list"},
		{goodTrace, "clauses: [HI-1, HI-2]", "clauses: [HI-1, HI-1]", "a clause stands twice"},
		{goodTrace, "clauses: [HI-1, HI-2]", "clauses: [XY-1]", "no detector has such clauses"},
		{goodTrace, "source: D3#implementation", "source: D3", "the source has no section"},
		{goodTrace, "source: D3#implementation", "source: D6#implementation", "no such document"},
		{goodTrace, "example: true", "example: 1", "example is no boolean"},
		{goodTrace, "readings: [code]", "readings: [text]", "the detector has no such reading"},
		{goodTrace, "readings: [code]", "readings: []", "no reading"},
		{goodTrace, "needs: [snapshot, evidence]", "needs: [messages]", "the detector has no such feature"},
		{goodTrace, "tags: [window]", "tags: window", "the tags are no list"},
		{goodTrace, "    why: A reason\n", "", "the reason is missing"},
		{goodTrace, "    why: A reason\n", "    why: A reason\n    whence: x\n", "unknown member of the case"},
		{goodTrace, "    steps:", "    refuse: {kind: invalid_config}\n    steps:", "two things to do"},
		{goodTrace, "    steps:", "    result: 1\n    steps:", "a result without a call"},
		{goodTrace, "      - tool_call: {tool: t, args: {path: a}}", "      - dance: {}", "no such step"},
		{goodTrace, "      - reset: true", "      - times: 2", "a step that does nothing"},
		{goodTrace, "      - reset: true", "      - reset: true\n        snapshot: late", "a step that does two things"},
		{goodTrace, "{tool: t, args: {path: a}}", "{args: {path: a}}", "the event lacks its tool, and no fault is expected"},
		{goodTrace, "{tool: t, args: {path: a}}", "{type: tool_call, tool: t}", "the type stands twice"},
		{goodTrace, "{tool: t, args: {path: a}}", "[t]", "the event is no mapping"},
		{goodTrace, "{type: output, text: x}", "{type: output}", "an event of the batch lacks its text"},
		{goodTrace, "times: 2", "times: 0", "not once"},
		{goodTrace, "times: 2", "times: true", "no number of times"},
		{goodTrace, "session: other", `session: ""`, "a session without a name"},
		{goodTrace, "{loop: true, kind: repeat,", "{lop: true, kind: repeat,", "no such member of a verdict"},
		{goodTrace, "{contains: [a]}", "{contains: []}", "contains nothing"},
		{goodTrace, "{contains: [a]}", "{contains: a}", "contains is no list"},
		{goodTrace, "expect: [{loop: false}, {count: null}]", "expect: {loop: false}", "one verdict expected of a batch"},
		{goodTrace, "expect: [{loop: false}, {count: null}]", "expect: [{loop: false}, {}]", "an expectation of nothing"},
		{goodTrace, "{kind: invalid_event, field: tool}", "{field: tool}", "a fault without its kind"},
		{goodTrace, "{kind: invalid_event, field: tool}", "{kind: bad_event}", "no such kind of fault"},
		{goodTrace, "{kind: invalid_event, field: tool}", "{kind: invalid_event, at: tool}", "unknown member of a fault"},
		{goodTrace, "{kind: invalid_event, field: tool}", "{kind: invalid_event}\n        expect: {loop: false}", "refused, with a verdict"},
		{goodTrace, "- reset: true", "- reset: false", "reset is not true"},
		{goodTrace, "- reset: true", "- reset: true\n        times: 2", "times is for events"},
		{goodTrace, "- reset: true", "- reset: true\n        expect: {loop: false}", "a reset has no verdict"},
		{goodTrace, "- reset: true", "- state: {}", "a state of which nothing is compared"},
		{goodTrace, "- snapshot: early", "- snapshot: {a: 1}", "a snapshot is kept under a name"},
		{goodTrace, "- snapshot: early", "- snapshot: early\n        expect: []", "a snapshot is no list"},
		{goodTrace, "- restore: early", `- restore: ""`, "a snapshot has a name"},

		{goodCall, "    result: {same_as: {tool: t}}\n", "", "neither result nor fault"},
		{goodCall, "    result:", "    fault: {kind: invalid_params}\n    result:", "a result and a fault"},
		{goodCall, "{same_as: {tool: t}}", "{same_as: 1}", "arguments are a mapping"},
		{goodCall, "{same_as: {tool: t}}", "{not_same_as: []}", "arguments are a mapping"},
		{goodCall, "history.hash", "history.hush", "no such function"},
		{goodCall, ", args: {tool: t, args: {}}}", "}", "the arguments are missing"},
		{goodCall, "{function: history.hash,", "{function: history.hash, reading: code,", "unknown member of a call"},

		{goodRefusal, "    refuse: {kind: invalid_config, field: window}\n", "", "nothing to do"},
		{goodRefusal, "field: window", `field: ""`, "a field without a name"},
		{goodRefusal, "    refuse:", "    exchange: [{close: true}]\n    refuse:", "an exchange with a detector"},

		{goodExchange, "    exchange:", "    readings: [text]\n    exchange:", "the protocol has no readings"},
		{goodExchange, "    exchange:", "    needs: [evidence]\n    exchange:", "the protocol has no features"},
		{goodExchange, "send: {id: 1, method: shutdown}", "send: shutdown", "a message is a mapping"},
		{goodExchange, `raw: "{}"`, `raw: "{}\n"`, "a line has no end in it"},
		{goodExchange, `raw: "{}"`, "raw: {}", "a raw line is a text"},
		{goodExchange, "split: [1]", "split: [0]", "no pause before the first byte"},
		{goodExchange, "split: [1]", "split: []", "no pause"},
		{goodExchange, "pad: 3", "pad: 0", "no letter"},
		{goodExchange, "receive: {id: 1}", "receive: 1", "an answer is a mapping"},
		{goodExchange, "exit: 0", "exit: -1", "no exit status"},
		{goodExchange, "- close: true", "- close: true\n        exit: 0", "a step that does two things"},
		{goodExchange, "- close: true", "- wait: 1", "no such step of an exchange"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			if !strings.Contains(tt.file, tt.old) {
				t.Fatalf("the good file has no %q", tt.old)
			}
			judgeFile(t, strings.Replace(tt.file, tt.old, tt.new, 1), false, tt.reason)
		})
	}
}

// judgeFile demands that the loader and the schema think the same of a file.
func judgeFile(t *testing.T, text string, good bool, reason string) {
	t.Helper()
	if _, err := cases.Parse("file.yaml", []byte(text)); (err == nil) != good {
		t.Errorf("the loader: %s; %s", verdictOf(err), reason)
	}
	document, err := strictyaml.Parse("file.yaml", []byte(text))
	if err != nil {
		t.Fatalf("the file is outside the dialect, so that the schema is not asked: %v", err)
	}
	if err := check(compileSchema(t, "cases"), document.Value()); (err == nil) != good {
		t.Errorf("the schema: %s; %s", verdictOf(err), reason)
	}
}
