package crow

import (
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// promptEvents is how many events the prompt shows at most (D5#ai-augmented-detection).
const promptEvents = 20

// The prompt of D5's variant that asks a model, before and after the events. // CR-49
const (
	promptHead = `Analyze the following event sequence and determine if the agent is stuck in a loop.

Events:
`
	promptTail = `

Identify:
1. Is there a loop? Yes/No
2. What type of loop (repeating action, repeating error, monologue, alternating)?
3. How many cycles have occurred?
4. Brief explanation of the pattern
5. Suggestion for breaking the loop

Format your response as JSON:
{
    "is_stuck": true/false,
    "loop_type": "repeating_action|repeating_error|monologue|alternating|null",
    "cycle_count": number,
    "explanation": string,
    "suggestion": string,
    "confidence": 0.0-1.0
}`
)

// aiPrompt is the function crow.ai_prompt: what a model is asked about the last events.
func aiPrompt(args spec.Value) (spec.Value, error) {
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
	return spec.StringValue(promptHead + promptLines(events) + promptTail), nil
}

// promptLines returns one line for each of the last events; none for a type that D5 does not know.
func promptLines(events []spec.Event) string {
	var lines []string
	for _, e := range events[max(0, len(events)-promptEvents):] {
		if observed(e.Type) {
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
