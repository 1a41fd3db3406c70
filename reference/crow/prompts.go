package crow

import "github.com/loopstone/loopstone/spec"

// prompts are D5's recovery prompts, one for each kind of loop, with {task}, {pattern} and {count} to be filled in
// (D5#recovery-strategies).
var prompts = map[string]string{ // CR-46
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

// otherPrompt is D5's text for a loop without a kind.
const otherPrompt = "Detected stuck pattern: {pattern}\n\n{suggestion}" // CR-47

// The prompt of D5's variant that asks a model, before and after the events.
const ( // CR-49
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
