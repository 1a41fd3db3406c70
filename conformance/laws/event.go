package laws

import (
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// mostShown bounds what one value takes of a line that a person reads, in characters.
const mostShown = 100

// DescribeEvent returns an event in one line: its type, its tool, and the rest as JSON.
func DescribeEvent(event spec.Value) string {
	typ, isText := event.Get("type").Str()
	if !isText {
		return wording.Shortened(event.String(), mostShown)
	}
	line := typ
	rest := event.Without("type")
	if tool, isText := rest.Get("tool").Str(); isText {
		line += " " + spec.StringValue(tool).String()
		rest = rest.Without("tool")
	}
	if args := rest.Get("args"); typ == string(spec.ToolCall) && !args.IsAbsent() {
		line += " " + wording.Shortened(args.String(), mostShown)
		rest = rest.Without("args")
	}
	if len(rest.Members()) > 0 {
		line += " " + wording.Shortened(rest.String(), mostShown)
	}
	return line
}
