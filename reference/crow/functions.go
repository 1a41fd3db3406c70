package crow

import (
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// Functions holds the detector's functions.
var Functions = map[string]spec.Function{ // alike in both readings: CR-57
	"crow.recovery":  recovery,
	"crow.ai_prompt": aiPrompt,
	"crow.ai_parse":  aiParse,
}

// stuck is what a recovery prompt is made of: a verdict's members and the task that the user gave.
type stuck struct {
	kind, pattern, suggestion, task string
	count                           int
}

// recovery is the function crow.recovery: the text that tells an agent how to get out of its loop.
func recovery(_ spec.Reading, args spec.Value) (spec.Value, error) {
	s, err := readStuck(args)
	if err != nil {
		return spec.Value{}, err
	}
	prompt, known := prompts[s.kind]
	if !known {
		prompt = otherPrompt // CR-47
	}
	fill := strings.NewReplacer( // one pass: what was filled in is not filled in again
		"{task}", s.task, "{pattern}", s.pattern, "{suggestion}", s.suggestion, "{count}", strconv.Itoa(s.count))
	return spec.StringValue(fill.Replace(prompt)), nil
}

func readStuck(args spec.Value) (stuck, error) { // CR-48
	var s stuck
	texts := []struct {
		name string
		into *string
	}{{"kind", &s.kind}, {"pattern", &s.pattern}, {"suggestion", &s.suggestion}, {"task", &s.task}}
	for _, t := range texts {
		if err := readText(args, t.name, t.into); err != nil {
			return stuck{}, err
		}
	}
	err := readCount(args, "count", &s.count)
	return s, err
}

// readText reads a string argument of a function into a variable, which keeps its value if the argument is absent. The
// error is a [*spec.Fault] of kind [spec.InvalidParams].
func readText(args spec.Value, name string, into *string) error {
	v := args.Get(name)
	if v.IsAbsent() {
		return nil
	}
	s, ok := v.Str()
	if !ok {
		return spec.BadParams("%s: want a string, got %s", name, v)
	}
	*into = s
	return nil
}

// readCount reads an integer of at least 0 among the arguments of a function, as readText does.
func readCount(args spec.Value, name string, into *int) error {
	v := args.Get(name)
	if v.IsAbsent() {
		return nil
	}
	n, ok := v.Int()
	if !ok || n < 0 {
		return spec.BadParams("%s: want an integer of at least 0, got %s", name, v)
	}
	*into = n
	return nil
}

// promptEvents is how many events the prompt shows at most (D5#ai-augmented-detection).
const promptEvents = 20

// aiPrompt is the function crow.ai_prompt: what a model is asked about the last events.
func aiPrompt(_ spec.Reading, args spec.Value) (spec.Value, error) {
	list := args.Get("events")
	if list.Kind() != spec.Array { // CR-56
		return spec.Value{}, spec.BadParams("events: want an array, got %s", list.Kind())
	}
	events := make([]spec.Event, len(list.Items()))
	for i, item := range list.Items() {
		e, err := spec.DecodeEvent(item)
		if err != nil { // CR-56
			return spec.Value{}, spec.BadParams("events/%d: %v", i, err)
		}
		events[i] = e
	}
	return spec.StringValue(promptHead + promptLines(events) + promptTail), nil // CR-49
}

// promptLines returns one line for each of the last events, but no line for a type that D5 does not know.
func promptLines(events []spec.Event) string {
	var lines []string
	for _, e := range events[max(0, len(events)-promptEvents):] {
		if isObserved(e) {
			lines = append(lines, promptLine(e))
		}
	}
	return strings.Join(lines, "\n")
}

func promptLine(e spec.Event) string { // CR-50
	switch e.Type {
	case spec.ToolCall:
		return "Action: " + e.Tool + "(" + string(appendRepr(nil, e.Args)) + ")"
	case spec.ToolResult:
		return "Observation: " + start(e.Content) + "..."
	case spec.ErrorEvent:
		return "Error: " + e.Message
	default:
		return string(e.Role) + ": " + start(e.Content) + "..."
	}
}

// aiParse is the function crow.ai_parse: the verdict that a model's reply stands for (D5#ai-augmented-detection).
func aiParse(_ spec.Reading, args spec.Value) (spec.Value, error) {
	text, ok := args.Get("reply").Str()
	if !ok { // CR-56
		return spec.Value{}, spec.BadParams("reply: want a string, got %s", args.Get("reply").Kind())
	}
	reply, err := spec.ParseValue([]byte(text))
	if err != nil || !reply.Get("is_stuck").IsTrue() || !isKindOrNone(reply.Get("loop_type")) {
		return spec.Verdict{}.Value(), nil // CR-55
	}
	return replyVerdict(reply), nil
}

// isKindOrNone reports whether a loop_type is absent, null, empty or one of D5's five kinds. Other values that are not
// texts are outside the clauses and count as absent.
func isKindOrNone(v spec.Value) bool { // CR-54, CR-55
	s, _ := v.Str()
	_, known := prompts[s]
	return s == "" || known
}

// replyVerdict writes the verdict with every member of D5's result, even if it is zero or empty.
func replyVerdict(reply spec.Value) spec.Value { // CR-53, CR-54
	members := []spec.Member{{Name: "loop", Value: spec.BoolValue(true)}}
	if kind, _ := reply.Get("loop_type").Str(); kind != "" {
		members = append(members, spec.Member{Name: "kind", Value: spec.StringValue(kind)})
	}
	return spec.ObjectValue(append(members,
		spec.Member{Name: "count", Value: orElse(reply.Get("cycle_count"), spec.IntValue(0))},
		spec.Member{Name: "pattern", Value: orElse(reply.Get("explanation"), spec.StringValue(""))},
		spec.Member{Name: "suggestion", Value: orElse(reply.Get("suggestion"), spec.StringValue(""))},
		spec.Member{Name: "confidence", Value: orElse(reply.Get("confidence"), spec.NumberValue("0.7"))},
	)...)
}

// orElse returns v, or the default if v is absent.
func orElse(v, byDefault spec.Value) spec.Value {
	if v.IsAbsent() {
		return byDefault
	}
	return v
}
