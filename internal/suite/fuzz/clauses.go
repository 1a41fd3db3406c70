package fuzz

import (
	"slices"
	"strings"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

// clausesOf returns the clauses that a counterexample breaks. A law has its own. Where the port says something else
// than the oracle, they are the clauses about what it refused or should have refused, about the function that it was
// asked, about the loop that only one of both reports, or about the first member of the verdict in which they differ.
func clausesOf(c Counterexample) []string {
	law, _ := laws.LawByID(c.Finding.Check)
	own := law.ClausesFor(c.Subject.Detector)
	definition, _ := spec.DefinitionOf(c.Subject.Detector)
	s := search{definition, c.Subject.Reading, c.Finding.Kind}
	switch _, isRefusal := c.Finding.Want.Str(); {
	case c.Finding.Clause != "":
		return []string{c.Finding.Clause}
	case len(own) > 0:
		return own
	case c.Subject.IsCall():
		return s.naming(c.Subject.Function, true)
	case isRefusal:
		return s.ofRefusal(c)
	case c.Finding.Extra:
		return []string{verdictMembers}
	default:
		return s.ofVerdict(c.Finding.Want, c.Finding.Got)
	}
}

const (
	verdicts       = "PR-14" // each event has a verdict
	verdictMembers = "PR-32" // which members a verdict has
)

// search looks for clauses about what a detector says in a reading.
type search struct {
	spec.Definition
	reading spec.Reading
	kind    spec.VerdictKind // of the loop that is wanted or, where none is, that the port reports; empty without a loop
}

// bind returns those of the clauses that bind the reading.
func (s search) bind(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		clause, _ := spec.ClauseByID(id)
		return !clause.Binds(s.reading)
	})
}

// naming returns the first clause of the detector that names a function, or a refusal; PR-14 if there is none.
func (s search) naming(word string, ofFunctions bool) []string {
	for _, clause := range spec.Clauses() {
		isOurs := strings.HasPrefix(clause.ID, s.Prefix+"-") && clause.Binds(s.reading)
		if isOurs && strings.Contains(clause.Text, "`"+word+"`") && (ofFunctions || !isOfFunctions(clause)) {
			return []string{clause.ID}
		}
	}
	return []string{verdicts}
}

// isOfFunctions reports whether a clause is about functions alone, and not about the verdicts of sessions.
func isOfFunctions(c spec.Clause) bool {
	return slices.Contains([]spec.Feature{spec.Functions, spec.AI, spec.Merge, spec.Hashes}, c.Feature)
}

// ofVerdict returns the clauses about the first thing in which two verdicts differ.
func (s search) ofVerdict(want, got spec.Value) []string {
	for _, m := range slices.Concat(want.Members(), got.Members()) {
		if want.Get(m.Name).Equal(got.Get(m.Name)) {
			continue
		}
		if clauses := s.ofMember(m.Name); len(clauses) > 0 {
			return clauses
		}
	}
	if clauses := s.ofMember("loop"); len(clauses) > 0 { // a case is made of what a port says, right or wrong
		return clauses
	}
	return []string{verdicts}
}

// ofMember returns the clauses that say what a member of the verdict is: those of the table or, for whether there is a
// loop and what the table does not have, those of the rule.
func (s search) ofMember(name string) []string {
	for _, m := range memberClauses {
		isOurs := strings.HasPrefix(m.clauses[0], s.Prefix+"-")
		if isOurs && slices.Contains(m.members, name) && (m.kinds == nil || slices.Contains(m.kinds, s.kind)) {
			return s.bind(m.clauses)
		}
	}
	for _, rule := range s.Rules {
		if rule.Kind == s.kind {
			return s.bind(rule.Clauses)
		}
	}
	return nil
}

// memberClauses are the clauses that say what members of verdicts are, as far as the clauses that say when a rule holds
// ([spec.Rule]) do not say it. The first that fits counts.
var memberClauses = []struct {
	clauses []string
	members []string
	kinds   []spec.VerdictKind // that have them; nil for every verdict of the detector
}{
	{[]string{"FP-21"}, []string{"count"}, []spec.VerdictKind{noKind}},
	{[]string{"FP-22"}, []string{"tool"}, nil},
	{[]string{"FP-24"}, []string{"severity", "message"}, []spec.VerdictKind{spec.KindExact, spec.KindFuzzy}},
	{[]string{"FP-30"}, []string{"message"}, []spec.VerdictKind{spec.KindTestFix}},
	{[]string{"FP-35"}, []string{"message"}, []spec.VerdictKind{spec.KindBashCascade}},
	{[]string{"FP-38"}, []string{"message"}, []spec.VerdictKind{spec.KindSummary}},
	{[]string{"SG-15", "SG-29"}, []string{"count"}, nil},
	{[]string{"SG-4"}, []string{"signature"}, nil},
	{[]string{"HI-14"}, []string{"count"}, []spec.VerdictKind{spec.KindRepeat, noKind}},
	{[]string{"CR-14"}, []string{"confidence"}, nil},
	{[]string{"CR-16"}, []string{"pattern", "suggestion"}, []spec.VerdictKind{spec.KindRepeatingAction}},
	{[]string{"CR-17"}, []string{"pattern", "suggestion"}, []spec.VerdictKind{spec.KindRepeatingError}},
	{[]string{"CR-18"}, []string{"pattern", "suggestion"}, []spec.VerdictKind{spec.KindMonologue}},
	{[]string{"CR-19"}, []string{"pattern", "suggestion"}, []spec.VerdictKind{spec.KindAlternating}},
	{[]string{"CR-20"}, []string{"pattern", "suggestion"}, []spec.VerdictKind{spec.KindContextError}},
	{[]string{"SW-8"}, []string{"count", "workers"}, nil},
	{[]string{"SW-9"}, []string{"message"}, nil},
	{[]string{"RA-8"}, []string{"similarity"}, nil},
	{[]string{"CO-37"}, []string{"severity", "rule", "rung"}, nil},
}

// noKind stands for a verdict without a loop.
const noKind spec.VerdictKind = ""

// ofRefusal returns the clauses about a request that only one of both refused. The subject is shrunk: it ends with this
// request.
func (s search) ofRefusal(c Counterexample) []string {
	if want, field := refused(c.Finding.Want); want != "" {
		return s.ofMissedRefusal(want, field)
	}
	steps := c.Subject.Steps
	switch kind, _ := refused(c.Finding.Got); {
	case kind == spec.Unsupported:
		return []string{"PR-25"}
	case c.Finding.Unopened && c.Subject.Config.IsAbsent() && kind != spec.InvalidConfig:
		return []string{"PR-13"}
	case c.Finding.Unopened:
		return []string{"PR-30", "PR-31"}
	case len(steps) > 0 && steps[len(steps)-1].IsReset():
		return []string{"PR-16"}
	default:
		return []string{"PR-28", "PR-53"}
	}
}

// ofMissedRefusal returns the clauses by which a request had to be refused: that of the detector, if it has one, which
// for a setting names the setting.
func (s search) ofMissedRefusal(kind spec.FaultKind, field string) []string {
	general := map[spec.FaultKind][]string{
		spec.InvalidConfig: {"PR-31", "PR-30"}, spec.InvalidEvent: {"PR-28", "PR-53"}, spec.Unsupported: {"PR-25"},
	}[kind]
	clauses := s.naming(string(kind), false)
	own, _ := spec.ClauseByID(clauses[0])
	switch {
	case general == nil:
		return clauses
	case clauses[0] == verdicts, kind == spec.InvalidConfig && !strings.Contains(own.Text, "`"+field+"`"):
		return general
	default:
		return clauses
	}
}

// refused returns the kind of a refusal that a finding holds, and what is refused; empty if it holds that the request
// was accepted.
func refused(v spec.Value) (kind spec.FaultKind, field string) {
	word, field, _ := strings.Cut(v.Text(), " ")
	if slices.Contains(spec.FaultKinds, spec.FaultKind(word)) {
		return spec.FaultKind(word), field
	}
	return "", ""
}
