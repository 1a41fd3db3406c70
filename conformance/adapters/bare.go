package adapters

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// Bare returns the files for a language without a kit: an adapter in pseudo-code, for a port that the command starts.
func Bare(command []string) Starter {
	return Starter{
		Main: "adapter.txt", Command: wording.Shell(command...), words: command,
		template: "templates/bare/adapter.txt", readme: "templates/bare/README.md.txt",
	}
}

// eventTable lists the types of events with their members, of which the detector may demand more than the protocol.
func (m *mapping) eventTable() (lines []string) {
	isSent := func(name string) bool {
		return !spec.NeedsReplies(name) || slices.Contains(m.Features, string(spec.Replies))
	}
	for _, t := range spec.EventTypes() {
		if !isSent(string(t)) {
			continue
		}
		var list []string
		for _, member := range slices.Concat(spec.EventMembers(t), spec.AnyMembers()) {
			optional := "?"
			if member.Required || slices.Contains(m.Demands, demand{string(t), member.Name}) {
				optional = ""
			}
			if isSent(member.Name) {
				list = append(list, fmt.Sprintf("%s%s: %s", member.Name, optional, typeOf(member)))
			}
		}
		lines = append(lines, fmt.Sprintf("%-12s %s", t, strings.Join(list, ", ")))
	}
	return lines
}

func typeOf(member spec.EventMember) string {
	if member.Name == "role" {
		return `"user", "assistant" or "system"`
	}
	return member.Kind.String()
}
