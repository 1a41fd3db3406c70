package rulecases

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// spot is a member of a rule, or of a configuration of stream, whose rule is empty.
type spot struct{ rule, member string }

// String names the member as reports do.
func (s spot) String() string {
	if s.rule == "" {
		return s.member
	}
	return s.member + " of the rule " + s.rule
}

// sought is a change of a member, or of an item of a list, with what the search for a trace has found.
type sought struct {
	spot
	item    string // empty for any other change
	written bool
	found
}

// isDecided reports whether a trace decides the change.
func (s sought) isDecided() bool { return s.known || s.trace != nil }

// String names the member, and the item.
func (s sought) String() string {
	if s.item == "" {
		return s.spot.String()
	}
	return fmt.Sprintf("%q in %s", s.item, s.spot)
}

// casesOfMembers returns a case for each member that the known cases do not decide whole, and what is left of those
// that the configuration writes. Resets part the traces of a case.
func (d *Declaration) casesOfMembers(known []cases.Case, b *budget) (list []cases.Case, left []conformance.Part) {
	decider := newDecider(d, known)
	all := decider.seekAll(b)
	withTrace := lists.Filter(all, func(s sought) bool { return s.trace != nil })
	for _, ofMember := range lists.Grouped(withTrace, func(s sought) spot { return s.spot }) {
		list = append(list, decider.casesOf(ofMember)...)
	}
	return list, decider.left(all)
}

// seekAll looks for a trace for each change.
func (d *decider) seekAll(b *budget) (all []sought) {
	for c := range changesOf(d.Detector, d.Fixed) {
		if b.left < partsOfBudget*opening && !c.written || b.ctx.Err() != nil {
			break // what is not declared is not told
		}
		b.spend(opening, d.weight) // for the configuration with the change
		b.share(min(mostOfChange*max(d.weight, 1), b.left/partsOfBudget), func(part *budget) {
			d.budget = part
			one := sought{spot{d.rules[c.rule].Name, c.member}, c.item, c.written, d.seek(c)}
			if all = append(all, one); one.trace != nil {
				d.learn(one.trace)
			}
		})
	}
	return all
}

// left returns what is written and no trace decides: an item of a list, or a member of which no change is decided. A
// member that has a value other than its default is decided with one of them: there are several.
func (d *decider) left(all []sought) (list []conformance.Part) {
	met := map[spot]bool{} // members of which a trace decides something
	for _, one := range all {
		met[one.spot] = met[one.spot] || one.isDecided()
	}
	told, unreached := map[string]bool{}, d.unreached()
	for _, one := range all {
		l := conformance.Part{Detector: d.Detector, Sort: "member", Name: one.String()}
		isRung := strings.HasPrefix(one.member, "rungs.") // which says itself that it is beyond
		isBeyond := func(rule string) bool { return slices.Contains(unreached, rule) }
		if one.isDecided() || !one.written || told[l.Name] || slices.ContainsFunc(d.rulesOf(one.spot), isBeyond) ||
			one.item == "" && met[one.spot] && (isRung || !one.beyond) {
			continue
		}
		told[l.Name] = true
		switch {
		case one.beyond:
			l.Why = "traces are too short for its number"
		case one.cut:
			l.Why = ended
		}
		list = append(list, l)
	}
	return shortened(list)
}

// rulesOf returns the rules that a member bears on.
func (d *decider) rulesOf(at spot) []string {
	if d.Detector.Row() == spec.Composed {
		return []string{at.rule}
	}
	row, _ := spec.DefinitionOf(spec.Stream)
	for _, p := range row.Settings {
		if p.Name == at.member {
			return lists.Strings(lists.Filter(row.Asked(d.Fixed), p.BearsOn))
		}
	}
	return nil
}

// casesOf returns the cases of a member: one, unless its traces are long.
func (d *decider) casesOf(ofMember []sought) []cases.Case {
	at := ofMember[0].spot
	id := strings.NewReplacer(".", "-", "_", "-").Replace(at.member)
	if len(d.rules) > 1 {
		i := slices.IndexFunc(d.rules, func(r loneRule) bool { return r.Name == at.rule })
		id = fmt.Sprintf("rule-%d-%s", i+1, id)
	}
	return d.bundle(cases.Case{
		ID:      fmt.Sprintf("%s-decides-%s", d.Detector, id),
		Title:   fmt.Sprintf("The verdicts show %s", at),
		Why:     "A port that ignores this member, or has it without declaring it, is wrong on few other traces.",
		Clauses: []string{settingsClause[d.Detector.Row()]},
	}, lists.Map(ofMember, func(s sought) []spec.Value { return s.trace }))
}

// settingsClause is the clause that says which members a configuration has.
var settingsClause = map[spec.DetectorID]string{spec.Composed: "CO-3", spec.Stream: "ST-3"}
