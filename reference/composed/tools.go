package composed

import (
	"regexp"
	"slices"

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
	Tool           *regexp.Regexp
	Argument, Text string
}

// Contain reports whether the set has a call.
func (c Calls) Contain(call spec.Event) bool { // CO-19
	return slices.ContainsFunc(c, func(e Entry) bool {
		text, isText := call.Args.Get(e.Argument).Str()
		return e.Tool.MatchString(call.Tool) && (e.Argument == "" || isText && text == e.Text)
	})
}
