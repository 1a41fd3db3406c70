package profile

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

// members is what the search for all members of a configuration has found.
type members struct {
	*decider
	order  []spot // of those that have traces
	traces map[spot][][]spec.Value
	met    map[spot]bool // written members of which a trace, or a known one, decides something
	missed []missed
}

// missed is a change of something written that no trace decides: of a member or, with a name, of an item of a list.
type missed struct {
	spot
	item string
	found
}

// String names the member, and the item.
func (m missed) String() string {
	if m.item == "" {
		return m.spot.String()
	}
	return fmt.Sprintf("%q in %s", m.item, m.spot)
}

// casesOfMembers returns a case for each member that the known cases do not decide whole, and what is left of those
// that the configuration writes. Resets part the traces of a case.
func (d *Declaration) casesOfMembers(known []cases.Case, b *budget) (list []cases.Case, left []conformance.Part) {
	m := &members{decider: newDecider(d, known, b), traces: map[spot][][]spec.Value{}, met: map[spot]bool{}}
	m.search(b)
	for _, at := range m.order {
		list = append(list, m.casesOf(at)...)
	}
	return list, m.left()
}

// search looks for a trace for each change.
func (m *members) search(b *budget) {
	for c := range changesOf(m.Detector, m.Fixed) {
		if b.left < partsOfBudget*opening && !c.written || b.ctx.Err() != nil {
			return // what is not declared is not told
		}
		b.spend(opening, m.weight) // for the configuration with the change
		b.share(min(mostOfChange*max(m.weight, 1), b.left/partsOfBudget), func(part *budget) {
			m.budget = part
			m.note(c, m.seek(c))
		})
	}
}

// note keeps how the search for a change ended.
func (m *members) note(c change, f found) {
	at := spot{member: c.member}
	if m.rules != nil {
		at.rule = m.rules[c.rule].Name
	}
	switch {
	case f.trace != nil:
		if m.traces[at] == nil {
			m.order = append(m.order, at)
		}
		m.traces[at] = append(m.traces[at], f.trace)
		m.learn(f.trace)
	case !f.known && c.written:
		m.missed = append(m.missed, missed{at, c.item, f})
	}
	m.met[at] = m.met[at] || f.known || f.trace != nil
}

// left returns what is written and no trace decides: an item of a list, or a member of which no change is decided. A
// member that has a value other than its default is decided with one of them: there are several.
func (m *members) left() []conformance.Part {
	var list, cut []conformance.Part
	told, unreached := map[string]bool{}, m.unreached()
	for _, one := range m.missed {
		l := conformance.Part{Detector: m.Detector, Sort: "member", Name: one.String()}
		isRung := strings.HasPrefix(one.member, "rungs.") // which says itself that it is beyond
		isBeyond := func(rule string) bool { return slices.Contains(unreached, rule) }
		if told[l.Name] || slices.ContainsFunc(m.rulesOf(one.spot), isBeyond) ||
			one.item == "" && m.met[one.spot] && (isRung || !one.beyond) {
			continue
		}
		told[l.Name] = true
		switch {
		case one.beyond:
			l.Why = "traces are too short for its number"
			list = append(list, l)
		case one.cut:
			l.Why = ended
			cut = append(cut, l)
		default:
			list = append(list, l)
		}
	}
	return append(list, shortened(cut)...)
}

// rulesOf returns the rules that a member bears on.
func (m *members) rulesOf(at spot) []string {
	if m.rules != nil {
		return []string{at.rule}
	}
	row, _ := spec.DefinitionOf(spec.Stream)
	for _, p := range row.Settings {
		if p.Name == at.member {
			return lists.Strings(lists.Filter(row.Asked(m.Fixed), p.BearsOn))
		}
	}
	return nil
}

// casesOf returns the cases of a member: one, unless its traces are long.
func (m *members) casesOf(at spot) []cases.Case {
	id := strings.NewReplacer(".", "-", "_", "-").Replace(at.member)
	if len(m.rules) > 1 {
		i := slices.IndexFunc(m.rules, func(r rule) bool { return r.Name == at.rule })
		id = fmt.Sprintf("rule-%d-%s", i+1, id)
	}
	return m.bundle(cases.Case{
		ID:      fmt.Sprintf("%s-decides-%s", m.Detector, id),
		Title:   fmt.Sprintf("The verdicts show %s", at),
		Why:     "A port that ignores this member, or has it without declaring it, is wrong on few other traces.",
		Clauses: []string{settingsClause[m.Detector.Row()]},
	}, m.traces[at])
}

// settingsClause is the clause that says which members a configuration has.
var settingsClause = map[spec.DetectorID]string{spec.Composed: "CO-3", spec.Stream: "ST-3"}
