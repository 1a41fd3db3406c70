package crow

import (
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// stuck is what a recovery prompt is made of: a verdict's members and the task that the user gave.
type stuck struct {
	kind, pattern, suggestion, task string
	count                           int
}

// prompts are D5's recovery prompts (D5#recovery-strategies), with {task}, {pattern} and {count} to be filled in. // CR-46
var prompts = map[string]string{
	string(spec.KindRepeatingAction): `You have been attempting the same action repeatedly with identical results.

Original task: {task}

You have executed '{pattern}' {count} times.

Please:
1. Stop this action
2. Reflect on why this approach isn't working
3. Try a completely different strategy
4. If stuck, ask the user for guidance

DO NOT repeat this action again.`,

	string(spec.KindRepeatingError): `The same error is occurring repeatedly.

Error: {pattern}

The operation has failed {count} times.

Please:
1. Analyze the error message carefully
2. Identify what is causing it
3. Fix the underlying issue
4. If you cannot fix it, explain to the user what needs to be done

DO NOT retry the same failing operation.`,

	string(spec.KindMonologue): `You have sent {count} consecutive messages without taking action.

Original task: {task}

Please:
1. Either execute a tool to make progress
2. Or ask the user a specific question
3. Do not continue sending messages without action

You need to DO something, not just TALK.`,

	string(spec.KindAlternating): `You are stuck alternating between two actions.

{pattern}

Alternating {count} times without progress.

Please:
1. Break the cycle
2. Try a different approach
3. Consider neither of these two actions

The current pattern is unproductive.`,

	string(spec.KindContextError): `The conversation has grown too large.

{pattern}

The system will now compress the conversation history. Please continue your work after the compression.`,
}

// otherPrompt is D5's text for a loop of no kind. // CR-47
const otherPrompt = "Detected stuck pattern: {pattern}\n\n{suggestion}"

// recovery is the function crow.recovery: the text that tells an agent how to get out of its loop.
func recovery(args spec.Value) (spec.Value, error) {
	s, err := readStuck(args)
	if err != nil {
		return spec.Value{}, err
	}
	prompt, known := prompts[s.kind]
	if !known {
		prompt = otherPrompt
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
		if err := text(args, t.name, t.into); err != nil {
			return stuck{}, err
		}
	}
	return s, count(args, "count", &s.count)
}
