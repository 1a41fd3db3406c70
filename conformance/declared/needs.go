package declared

import (
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// Needs is what a port must declare to be asked a case whole (PR-37 to PR-39).
type Needs struct {
	Features []spec.Feature
	Rules    []spec.VerdictKind
	Settings []string
	Members  []string // of verdicts, that are compared; those that are not declared are left out
}

// NeedsOf returns what a case needs with its contrast, each in the order of the detector's row.
func NeedsOf(halves []cases.Half) Needs {
	definition, _ := spec.DefinitionOf(halves[0].Detector) // the protocol has no row, and its cases need nothing
	var rules []spec.VerdictKind
	var members []string
	for _, half := range halves {
		rules, members = append(rules, rulesOf(half.Case, definition)...), append(members, membersOfVerdicts(half.Case)...)
	}
	isSetInOne := func(name string) bool {
		return slices.ContainsFunc(halves, func(half cases.Half) bool { return isSet(half.Case, name) })
	}
	return Needs{
		Features: halves[0].Needs,
		Rules:    lists.Filter(definition.Kinds(), func(k spec.VerdictKind) bool { return slices.Contains(rules, k) }),
		Settings: lists.Filter(definition.SettingNames(), isSetInOne),
		Members:  lists.Filter(definition.Members(), func(name string) bool { return slices.Contains(members, name) }),
	}
}

func isSet(c cases.Case, setting string) bool {
	isIn := func(m spec.Member) bool { return !m.Value.Get(setting).IsAbsent() }
	return !c.Config.Get(setting).IsAbsent() || slices.ContainsFunc(c.Sessions.Members(), isIn)
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

// rulesOfVerdict returns the kinds that a verdict may have: none where it is no loop, whatever a port's rules are, or
// where nothing is compared.
func rulesOfVerdict(
	c cases.Case, definition spec.Definition, expect cases.Expectation, event spec.Value,
) []spec.VerdictKind {
	kind, named := expect.Want("kind")
	if name, isText := kind.Equal.Str(); isText {
		return []spec.VerdictKind{spec.VerdictKind(name)}
	}
	if len(expect.Members) == 0 {
		return nil
	}
	if loop, said := expect.Want("loop"); said && loop.Equal.Equal(spec.BoolValue(false)) || named && kind.Absent {
		return nil
	}
	typ := spec.TypeOf(event)
	var kinds []spec.VerdictKind
	for _, rule := range definition.Rules {
		if rule.MaySpeak(typ, c.Config) {
			kinds = append(kinds, rule.Kind)
		}
	}
	return kinds
}

// LoopsOf returns the rules whose loops a case wants with its contrast, in the order of the detector's row: those that
// it names, and the only rule that can have reported where it names none.
func LoopsOf(halves []cases.Half) []spec.VerdictKind {
	definition, _ := spec.DefinitionOf(halves[0].Detector)
	var kinds []spec.VerdictKind
	for _, half := range halves {
		for _, step := range half.Steps {
			for i, expect := range step.Expect {
				if step.Action != cases.Observe {
					continue
				}
				may := rulesOfVerdict(half.Case, definition, expect, step.Events[i%len(step.Events)])
				_, isNamed := expect.Want("kind")
				loop, _ := expect.Want("loop")
				if len(may) == 1 && (isNamed || loop.Equal.Equal(spec.BoolValue(true))) {
					kinds = append(kinds, may[0])
				}
			}
		}
	}
	return lists.Filter(definition.Kinds(), func(k spec.VerdictKind) bool { return slices.Contains(kinds, k) })
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

// Case returns the case as it is asked of the port. Where the port lists the members of its verdicts, the others are
// not asked for. Where it lists none, it may leave out what the specification leaves to it, unless the case needs a
// feature; what it gives must be right all the same.
func Case(c cases.Case, offer spec.Offer) cases.Case {
	asked := func(wants []cases.MemberWant) []cases.MemberWant {
		return lists.Filter(wants, func(m cases.MemberWant) bool { return offer.HasMember(m.Name) })
	}
	if offer.Members == nil {
		definition, _ := spec.DefinitionOf(c.Detector)
		if len(c.Needs) > 0 || !slices.ContainsFunc(membersOfVerdicts(c), definition.Leaves) {
			return c
		}
		asked = func(wants []cases.MemberWant) []cases.MemberWant {
			wants = slices.Clone(wants)
			for i := range wants {
				wants[i].Optional = definition.Leaves(wants[i].Name)
			}
			return wants
		}
	}
	c.Steps = slices.Clone(c.Steps)
	for i, step := range c.Steps {
		if step.Action != cases.Observe {
			continue
		}
		c.Steps[i].Expect = slices.Clone(step.Expect)
		for k, expect := range step.Expect {
			c.Steps[i].Expect[k].Members = asked(expect.Members)
		}
	}
	return c
}

// ComparesNothing reports whether a case has expectations of verdicts, and none of them names a member.
func ComparesNothing(c cases.Case) bool {
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
