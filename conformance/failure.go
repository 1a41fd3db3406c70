package conformance

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// maxLine bounds what one value takes of a line that a person reads, in characters.
const maxLine = 100

// cut shortens a text to what one line bears.
func cut(text string) string {
	runes := []rune(text)
	if len(runes) <= maxLine {
		return text
	}
	return fmt.Sprintf("%s… (%d characters)", string(runes[:maxLine]), len(runes))
}

// describe returns a step in one line.
func describe(step cases.Step) string {
	switch step.Action {
	case cases.Observe:
		lines := make([]string, len(step.Events))
		for i, event := range step.Events {
			lines[i] = DescribeEvent(event)
		}
		return strings.Join(lines, "; ")
	case cases.Restore:
		if step.Name == "" {
			return "restore " + cut(step.State.String())
		}
		return "restore " + step.Name
	case cases.Snapshot:
		return "snapshot " + step.Name
	default:
		return string(step.Action)
	}
}

// DescribeEvent returns an event in one line: its type, its tool, and the rest as JSON.
func DescribeEvent(event spec.Value) string {
	typ, isText := event.Get("type").Str()
	if !isText {
		return cut(event.String())
	}
	line := typ
	rest := event.Without("type")
	if tool, isText := rest.Get("tool").Str(); isText {
		line += " " + spec.StringValue(tool).String()
		rest = rest.Without("tool")
	}
	if args := rest.Get("args"); typ == string(spec.ToolCall) && !args.IsAbsent() {
		line += " " + cut(args.String())
		rest = rest.Without("args")
	}
	if len(rest.Members()) > 0 {
		line += " " + cut(rest.String())
	}
	return line
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
