package composed

import (
	"regexp"
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// Tools says which calls a rule is about.
type Tools struct{ Only, Except, Silent, Watched []Calls }

// See reports whether the rule does not exclude a call.
func (t Tools) See(call spec.Event) bool { // CO-21
	return (len(t.Only) == 0 || Has(t.Only, call)) && !Has(t.Except, call)
}

// Silence reports whether a call is muted.
func (t Tools) Silence(call spec.Event) bool { // CO-22
	return Has(t.Silent, call) || len(t.Watched) > 0 && !Has(t.Watched, call)
}

// Calls is a set of calls: the calls of the tools that a name matches, perhaps only those with a given text as an
// argument.
type Calls struct { // CO-19
	tool           *regexp.Regexp
	argument, text string // no argument: whatever the arguments are
}

// Has reports whether one of the sets has the call.
func Has(sets []Calls, call spec.Event) bool { // CO-19
	return slices.ContainsFunc(sets, func(c Calls) bool {
		text, isText := call.Args.Get(c.argument).Str()
		return c.tool.MatchString(call.Tool) && (c.argument == "" || isText && text == c.text)
	})
}
