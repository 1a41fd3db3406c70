package fuzz

import (
	"cmp"
	"strings"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// Subject is one thing to ask a port: a trace, or a call of a pure function where Function is set.
type Subject struct {
	laws.Trace

	Function string
	Args     spec.Value
}

// IsCall reports whether the subject is a function call.
func (s Subject) IsCall() bool { return s.Function != "" }

// onlyOpens reports whether the subject is about the configuration alone: its session is opened, and observes nothing.
func (s Subject) onlyOpens() bool { return !s.IsCall() && len(s.Steps) == 0 }

// Value returns the subject as JSON: what a counterexample is compared, ordered and told apart by.
func (s Subject) Value() spec.Value {
	v := spec.ObjectValue(
		spec.Member{Name: "detector", Value: spec.StringValue(string(s.Detector))},
		spec.Member{Name: "reading", Value: spec.StringValue(string(s.Reading))})
	if s.IsCall() {
		return v.With("function", spec.StringValue(s.Function)).With("args", s.Args)
	}
	if !s.Config.IsAbsent() {
		v = v.With("config", s.Config)
	}
	return v.With("steps", spec.ArrayValue(lists.Map(s.Steps, stepValue)...))
}

func stepValue(s laws.Step) spec.Value {
	v := s.Event
	if s.IsReset() {
		v = spec.ObjectValue(spec.Member{Name: "reset", Value: spec.BoolValue(true)})
	}
	if s.Session > 0 {
		v = v.With("session", spec.IntValue(s.Session))
	}
	return v
}

// compareSubjects orders subjects from the simplest: by the number of steps, then by the length of their JSON, then by
// its text, in which letters come before all else. The texts are the JSON.
func compareSubjects(a, b Subject, aText, bText string) int {
	if c := cmp.Or(cmp.Compare(len(a.Steps), len(b.Steps)), cmp.Compare(len(aText), len(bText))); c != 0 {
		return c
	}
	return strings.Compare(lettersFirst(aText), lettersFirst(bText))
}

func lettersFirst(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r - 'a'
		}
		return r + 'z'
	}, text)
}
