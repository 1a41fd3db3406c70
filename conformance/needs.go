package conformance

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/words"
)

// Needs is what a port must declare to be asked a case whole (PR-37 to PR-39).
type Needs struct {
	Features []spec.Feature
	Rules    []spec.VerdictKind
	Settings []string
	Members  []string // of verdicts, that are compared; those that are not declared are left out
}

// NeedsOf returns what a case needs, each in the order of the detector's row.
func NeedsOf(c cases.Case) Needs {
	definition, _ := spec.DefinitionOf(c.Detector) // the protocol has no row, and its cases need nothing
	rules := rulesOf(c, definition)
	members := membersOfVerdicts(c)
	return Needs{
		Features: c.Needs,
		Rules:    among(definition.Kinds(), func(k spec.VerdictKind) bool { return slices.Contains(rules, k) }),
		Settings: among(definition.SettingNames(), func(name string) bool { return isSet(c, name) }),
		Members:  among(definition.Members(), func(name string) bool { return slices.Contains(members, name) }),
	}
}

func isSet(c cases.Case, setting string) bool {
	isIn := func(m spec.Member) bool { return !m.Value.Get(setting).IsAbsent() }
	return !c.Config.Get(setting).IsAbsent() || slices.ContainsFunc(c.Sessions.Members(), isIn)
}

func among[T any](list []T, wanted func(T) bool) []T {
	var found []T
	for _, item := range list {
		if wanted(item) {
			found = append(found, item)
		}
	}
	return found
}

// rulesOf returns the kinds that the configuration asks for, and those that may speak where the case compares, some
// twice.
func rulesOf(c cases.Case, definition spec.Definition) []spec.VerdictKind {
	var kinds []spec.VerdictKind
	if len(c.Steps) > 0 {
		kinds = definition.Asked(c.Config)
	}
	for _, step := range c.Steps {
		for i, expect := range step.Expect {
			if step.Action == cases.Observe {
				kinds = append(kinds, rulesOfVerdict(c, definition, expect, step.Events[i%len(step.Events)])...)
				continue
			}
			kinds = append(kinds, definition.Kinds()...) // a state may tell of any verdict before it
		}
	}
	return kinds
}

// rulesOfVerdict returns the kinds that a verdict may have: none where it is no loop, whatever a port's rules are.
func rulesOfVerdict(
	c cases.Case, definition spec.Definition, expect cases.Expectation, event spec.Value,
) []spec.VerdictKind {
	kind, named := wantOf(expect, "kind")
	if name, isText := kind.Equal.Str(); isText {
		return []spec.VerdictKind{spec.VerdictKind(name)}
	}
	if loop, said := wantOf(expect, "loop"); said && loop.Equal.Equal(spec.BoolValue(false)) || named && kind.Absent {
		return nil
	}
	typ, _ := event.Get("type").Str()
	var kinds []spec.VerdictKind
	for _, rule := range definition.Rules {
		if rule.MaySpeak(spec.EventType(typ), c.Config) {
			kinds = append(kinds, rule.Kind)
		}
	}
	return kinds
}

func wantOf(e cases.Expectation, name string) (cases.Want, bool) {
	for _, m := range e.Members {
		if m.Name == name {
			return m.Want, true
		}
	}
	return cases.Want{}, false
}

// membersOfVerdicts returns the members beside loop that the case compares, some twice.
func membersOfVerdicts(c cases.Case) []string {
	var names []string
	for _, step := range c.Steps {
		if step.Action != cases.Observe {
			continue
		}
		for _, expect := range step.Expect {
			for _, m := range expect.Members {
				if m.Name != "loop" {
					names = append(names, m.Name)
				}
			}
		}
	}
	return names
}

// declared returns the case without the members of verdicts that the port does not declare.
func declared(c cases.Case, offer spec.Offer) cases.Case {
	if offer.Members == nil {
		return c
	}
	c.Steps = slices.Clone(c.Steps)
	for i, step := range c.Steps {
		if step.Action != cases.Observe {
			continue
		}
		c.Steps[i].Expect = slices.Clone(step.Expect)
		for k, expect := range step.Expect {
			c.Steps[i].Expect[k].Members = among(expect.Members, func(m cases.MemberWant) bool {
				return offer.HasMember(m.Name)
			})
		}
	}
	return c
}

// comparesNothing reports whether a case has expectations of verdicts, and none of them names a member.
func comparesNothing(c cases.Case) bool {
	expects := false
	for _, step := range c.Steps {
		for _, expect := range step.Expect {
			if step.Action != cases.Observe || len(expect.Members) > 0 {
				return false
			}
			expects = true
		}
	}
	return expects
}

// miss notes in the result of a case what the port does not declare of what it needs, and reports whether it has all.
func (r *Result) miss(c cases.Case, offer spec.Offer) bool {
	needs := Needs{Features: c.Needs}
	if offer.Rules != nil || offer.Settings != nil || offer.Members != nil { // else it has all of these
		needs = NeedsOf(c)
	}
	r.Missing = among(needs.Features, func(f spec.Feature) bool { return !slices.Contains(offer.Features, f) })
	r.MissingRules = among(needs.Rules, func(k spec.VerdictKind) bool { return !offer.HasRule(k) })
	r.MissingSettings = among(needs.Settings, func(name string) bool { return !offer.HasSetting(name) })
	if comparesNothing(declared(c, offer)) {
		r.MissingMembers = among(needs.Members, func(name string) bool { return !offer.HasMember(name) })
	}
	missing := r.missing()
	if len(missing) > 0 {
		r.Reason = fmt.Sprintf("the port does not declare %s for %s", strings.Join(missing, ", "), c.Detector)
	}
	return len(missing) == 0
}

// missing names all that the port does not declare, and the case needs.
func (r *Result) missing() []string {
	return slices.Concat(words.Of(r.Missing), words.Of(r.MissingRules), r.MissingSettings, r.MissingMembers)
}
