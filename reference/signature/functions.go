package signature

import (
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// Functions holds the detector's functions.
var Functions = map[string]spec.Function{"signature.extract": extract, "signature.report": report}

// extract is the function signature.extract {output} → string.
func extract(reading spec.Reading, args spec.Value) (spec.Value, error) { // SG-35
	output, ok := args.Get("output").Str()
	if !ok {
		return spec.Value{}, spec.BadParams("output: want string, got %s", args.Get("output").Kind())
	}
	return spec.StringValue(signatureOf(reading, output)), nil
}

// The parts of D2's escalation (D2#escalation-on-loop-detection), literally.
const (
	reportHead = "## Loop Detected\n\n" +
		"**Pattern**: Same output signature repeated %d times\n" +
		"**Signature**: `%s`\n\n" +
		"**Iteration history**:\n\n"
	reportLine = "- Iteration %s: %s"
	reportLast = " ← Loop detected"
	reportFoot = "\n\n**Options**:\n\n" +
		"1. **Continue with different approach** - Agent will be instructed to try new strategy\n" +
		"2. **Review and debug** - Examine why same fix keeps failing\n" +
		"3. **Cancel** - Stop task"
)

// report is the function signature.report: the text with which D2 hands a loop to a person. It has no line break at
// its end.
func report(_ spec.Reading, args spec.Value) (spec.Value, error) { // SG-36
	signature, ok := args.Get("signature").Str()
	if !ok {
		return spec.Value{}, spec.BadParams("signature: want string, got %s", args.Get("signature").Kind())
	}
	threshold, _ := args.Get("threshold").Int()
	if threshold < 1 {
		return spec.Value{}, spec.BadParams("threshold: want an integer of at least 1, got %s", args.Get("threshold"))
	}
	lines, err := iterationLines(args.Get("iterations"))
	if err != nil {
		return spec.Value{}, err
	}
	text := fmt.Sprintf(reportHead, threshold, signature) + strings.Join(lines, "\n") + reportLast + reportFoot
	return spec.StringValue(text), nil
}

func iterationLines(iterations spec.Value) ([]string, error) {
	if len(iterations.Items()) == 0 {
		return nil, spec.BadParams("iterations: want an array of at least one, got %s", iterations)
	}
	var lines []string
	for i, iteration := range iterations.Items() {
		number, _ := iteration.Get("number").Spelling()
		output, isText := iteration.Get("output").Str()
		if !iteration.Get("number").IsIntegerLiteral() || !isText {
			return nil, spec.BadParams("iterations/%d: want an integer number and a string output, got %s",
				i, iteration)
		}
		if number == "-0" {
			number = "0"
		}
		lines = append(lines, fmt.Sprintf(reportLine, number, output))
	}
	return lines, nil
}
