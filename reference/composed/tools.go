package composed

import (
	"regexp"
	"slices"
	"strings"

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

// callsOf reads names such as "bash", "*_poll" or "process?action=poll".
func callsOf(place string, names []string) (sets []Calls, err error) { // CO-19
	for _, name := range names {
		tool, condition, conditional := strings.Cut(name, "?")
		argument, text, complete := strings.Cut(condition, "=")
		if tool == "" || conditional && (argument == "" || !complete) { // CO-20
			return nil, wrong(place, "want a tool, or tool?argument=text, got %q", name)
		}
		pattern := strings.ReplaceAll(regexp.QuoteMeta(tool), `\*`, `.*`)
		sets = append(sets, Calls{regexp.MustCompile(`(?s)^` + pattern + `$`), argument, text})
	}
	return sets, nil
}

func toolsOf(place string, m members) (t Tools, err error) {
	for _, list := range []struct {
		name string
		into *[]Calls
	}{{"only", &t.Only}, {"except", &t.Except}, {"silent", &t.Silent}, {"watched", &t.Watched}} {
		if *list.into, err = callsOf(place+"/"+list.name, m.texts(list.name)); err != nil {
			return t, err
		}
	}
	return t, nil
}

// Has reports whether one of the sets has the call.
func Has(sets []Calls, call spec.Event) bool { // CO-19
	return slices.ContainsFunc(sets, func(c Calls) bool {
		text, isText := call.Args.Get(c.argument).Str()
		return c.tool.MatchString(call.Tool) && (c.argument == "" || isText && text == c.text)
	})
}

// AsksArguments reports whether a set of the rule depends on the arguments of the tool's calls.
func (r Rule) AsksArguments(tool string) bool {
	sets := slices.Concat(r.Tools.Only, r.Tools.Except, r.Tools.Silent, r.Tools.Watched, r.Changes)
	return slices.ContainsFunc(sets, func(c Calls) bool { return c.argument != "" && c.tool.MatchString(tool) })
}
