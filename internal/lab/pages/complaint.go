package pages

import (
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// Complaint is what users of such detectors have reported, as a small run.
type Complaint struct {
	Name     string
	Threads  []string // owner/repository#number
	Stuck    bool     // whether a detector should speak
	Again    bool     // whether it should speak once more, of the second half
	Events   []spec.Value
	Resolved string // what the run is, in words
}

// complaints returns what users complain of. They are restated in traces of our own.
func complaints() []Complaint {
	return []Complaint{
		{
			Name: "edit, run, edit, run", Threads: []string{"QwenLM/qwen-code#9733"},
			Resolved: "ten different edits; after each edit, the same command with another result", Events: editAndRun(10),
		},
		{
			Name: "waiting for a build", Threads: []string{"weave-os/router#1123", "macanderson/stella#359"},
			Resolved: "the same status command six times; each result is longer", Events: looks(6, true),
		},
		{
			Name: "waiting for a quiet build", Threads: []string{"macanderson/stella#359"},
			Resolved: "the same status command four times; the first three results are equal",
			Events:   append(looks(3, false), pair("finished")...),
		},
		{
			Name: "batch edits", Threads: []string{"google-gemini/gemini-cli#8234", "google-gemini/gemini-cli#20701"},
			Resolved: "the same change in twelve files; all results are equal", Events: batch(12),
		},
		{
			Name: "A B A B", Threads: []string{"yologdev/yoagent#145"}, Stuck: true,
			Resolved: "two calls in turns, fifty times each", Events: turns(50),
		},
		{
			Name:    "one equal call per reply",
			Threads: []string{"anomalyco/opencode#25254", "anomalyco/opencode#50073"}, Stuck: true,
			Resolved: "fifteen replies of the model, each with the same call and result", Events: repeated(15, event("reply")),
		},
		{
			Name: "one equal call per user message", Threads: []string{"NousResearch/hermes-agent#111635"}, Stuck: true,
			Resolved: "fifteen messages of the user; after each, the same call and result",
			Events:   repeated(15, event("message", "role", "user", "content", "go on")),
		},
		{
			Name: "a second loop", Threads: []string{"XiaomiMiMo/MiMo-Code#2474"}, Stuck: true, Again: true,
			Resolved: "fifteen equal calls, other calls, fifteen equal calls again; " +
				"a detector is right only if it reports the second loop",
			Events: secondLoop(),
		},
		{
			Name: "1,535 calls", Threads: []string{"openclaw/openclaw#17118"}, Stuck: true,
			Resolved: "the same call with the same result, 1,535 times", Events: repeated(1535),
		},
	}
}

// event returns an event with members that are texts.
func event(typ string, members ...string) spec.Value {
	v := spec.ObjectValue(spec.Member{Name: "type", Value: spec.StringValue(typ)})
	for i := 0; i < len(members); i += 2 {
		v = v.With(members[i], spec.StringValue(members[i+1]))
	}
	return v
}

// step returns a call with one argument, and its answer.
func step(tool, argument, text, result string) []spec.Value {
	args := spec.ObjectValue(spec.Member{Name: argument, Value: spec.StringValue(text)})
	return []spec.Value{event("tool_call", "tool", tool).With("args", args), event("tool_result", "content", result)}
}

func pair(result string) []spec.Value { return step("bash", "command", "make status", result) }

// inReplies returns steps, each in a reply of its own.
func inReplies(steps ...[]spec.Value) (events []spec.Value) {
	for _, s := range steps {
		events = append(append(events, event("reply")), s...)
	}
	return events
}

func editAndRun(rounds int) (events []spec.Value) {
	for i := range rounds {
		events = append(events, inReplies(
			step("edit", "text", fmt.Sprintf("line %d", i), "edited"),
			step("bash", "command", "make test", fmt.Sprintf("%d tests fail", rounds-1-i)))...)
	}
	return events
}

func looks(n int, changing bool) (events []spec.Value) {
	for i := range n {
		result := "building" + strings.Repeat(".", i)
		if !changing {
			result = "building"
		}
		events = append(events, inReplies(pair(result))...)
	}
	return events
}

func batch(n int) (events []spec.Value) {
	for i := range n {
		events = append(events, inReplies(step("replace", "file", fmt.Sprintf("part%d.c", i), "replaced 1 line"))...)
	}
	return events
}

func turns(rounds int) (events []spec.Value) {
	for range rounds {
		events = append(events, inReplies(step("read_file", "path", "a", "x"), step("read_file", "path", "b", "y"))...)
	}
	return events
}

// repeated returns an equal step so many times, in the same reply or after what stands between.
func repeated(n int, between ...spec.Value) (events []spec.Value) {
	for range n {
		events = append(append(events, between...), step("bash", "command", "make", "error: no rule")...)
	}
	return events
}

func secondLoop() []spec.Value {
	events := repeated(15, event("reply"))
	for i := range 12 {
		events = append(events, inReplies(step("read_file", "path", fmt.Sprint(i), fmt.Sprint("text ", i)))...)
	}
	return append(events, repeated(15, event("reply"))...)
}
