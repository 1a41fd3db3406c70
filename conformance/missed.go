package conformance

import (
	"slices"
	"sync"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// Missed reports whether the test failed because the port said that there is no loop where one is wanted. The kind is
// that of the loop, empty where the case names none.
func (r *Result) Missed() (kind spec.VerdictKind, is bool) {
	if r.Status != Failed || r.Failure == nil {
		return "", false
	}
	for _, d := range r.Failure.Differences {
		switch d.Path {
		case "loop":
			is = d.Want == "true" && d.Got == "false"
		case "kind":
			if value, err := spec.ParseValue([]byte(d.Want)); err == nil {
				name, _ := value.Str()
				kind = spec.VerdictKind(name)
			}
		}
	}
	return kind, is
}

// sightings say how the tests that want a loop of a kind ended.
type sightings struct{ missed, all int }

// A rule is silent where of 20 tests that want it to speak it says nothing in 19, and in no fewer than 3.
func (s sightings) isSilent() bool { return s.missed >= 3 && 20*s.missed >= 19*s.all }

// silentRule is a rule of a port that says nothing where it must, or says it too late.
type silentRule struct {
	part
	kind   spec.VerdictKind
	clause string // the one that says when the rule holds
}

// silentRules returns the rules that alone of their detector and reading are silent. Their cases are about all that the
// rule looks at, so each of their clauses seems broken; it is more likely that the rule itself is. Where several rules
// are silent, the cause lies in what they share.
func (r *Report) silentRules() []silentRule {
	seen := map[part]map[spec.VerdictKind]sightings{}
	var order []part
	for _, result := range r.Results {
		in := part{result.Detector, result.Reading}
		if seen[in] == nil {
			seen[in] = map[spec.VerdictKind]sightings{}
			order = append(order, in)
		}
		for _, kind := range wantedKinds()[result.Case] {
			s := seen[in][kind]
			switch missed, is := result.Missed(); {
			case is && missed == kind:
				s.missed, s.all = s.missed+1, s.all+1
			case is: // it did not come to the loop of this kind
			case result.Status == Passed, result.Status == Failed:
				s.all++
			}
			seen[in][kind] = s
		}
	}
	var silent []silentRule
	for _, in := range order {
		silent = append(silent, silentIn(in, seen[in])...)
	}
	return silent
}

// silentIn returns the one rule of a detector that is silent in a reading, or nothing.
func silentIn(in part, seen map[spec.VerdictKind]sightings) []silentRule {
	definition, _ := spec.DefinitionOf(in.detector)
	var silent []silentRule
	for _, rule := range definition.Rules {
		if s := seen[rule.Kind]; !s.isSilent() {
			continue
		}
		for _, id := range rule.Clauses {
			if clause, _ := spec.ClauseByID(id); clause.Binds(in.reading) {
				silent = append(silent, silentRule{in, rule.Kind, id})
			}
		}
	}
	if len(silent) > 1 {
		return nil
	}
	return silent
}

// explains reports whether a failure is what the silence of the rule looks like.
func (s silentRule) explains(failure Result) bool {
	kind, missed := failure.Missed()
	return missed && kind == s.kind && part{failure.Detector, failure.Reading} == s.part
}

// wantedKinds returns, for each case of the built-in suite, the kinds of loop that it wants by their names.
var wantedKinds = sync.OnceValue(func() map[string][]spec.VerdictKind {
	all, _ := cases.All() // a suite that cannot be read has been told before a port was judged
	wanted := map[string][]spec.VerdictKind{}
	for _, c := range all {
		for _, step := range c.Steps {
			for _, expect := range step.Expect {
				kind, _ := expect.Want("kind")
				name, isText := kind.Equal.Str()
				if isText && !slices.Contains(wanted[c.ID], spec.VerdictKind(name)) {
					wanted[c.ID] = append(wanted[c.ID], spec.VerdictKind(name))
				}
			}
		}
	}
	return wanted
})
