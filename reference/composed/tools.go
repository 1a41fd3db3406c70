package composed

import (
	"slices"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// Tools says which calls a rule looks at, and which calls it does not report.
type Tools struct{ Only, Except, Silent, Watched Calls }

// Exclude reports whether the rule does not look at a call at all.
func (t Tools) Exclude(call spec.Event) bool { // CO-21
	return t.Except.Contain(call) || len(t.Only) > 0 && !t.Only.Contain(call)
}

// Mute reports whether the rule counts a call but does not report at it.
func (t Tools) Mute(call spec.Event) bool { // CO-22
	return t.Silent.Contain(call) || len(t.Watched) > 0 && !t.Watched.Contain(call)
}

// Calls is a set of calls: all calls that at least one of the entries names.
type Calls []Entry

// Entry names the calls of some tools or, if Argument is not empty, only those with Text as this argument.
type Entry struct { // CO-19
	Tool           ToolPattern
	Argument, Text string
}

// Contain reports whether the set has a call.
func (c Calls) Contain(call spec.Event) bool { // CO-19
	return slices.ContainsFunc(c, func(e Entry) bool { return e.Tool.Matches(call.Tool) && e.hasText(call.Args) })
}

func (e Entry) hasText(args spec.Value) bool { // CO-19
	if e.Argument == "" {
		return true
	}
	text, isText := args.Get(e.Argument).Str()
	return isText && text == e.Text
}

// ToolPattern is the name of a tool, in which each * stands for any text.
type ToolPattern string

// Matches reports whether the pattern covers the name: the parts between the asterisks stand in it one after another.
func (p ToolPattern) Matches(name string) bool { // CO-19
	if !strings.Contains(string(p), "*") {
		return name == string(p)
	}
	parts := strings.Split(string(p), "*")
	between, starts := strings.CutPrefix(name, parts[0])
	between, ends := strings.CutSuffix(between, parts[len(parts)-1])
	for _, part := range parts[1 : len(parts)-1] {
		var found bool
		if _, between, found = strings.Cut(between, part); !found {
			return false
		}
	}
	return starts && ends
}
