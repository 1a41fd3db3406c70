package report

import (
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
)

// identity says which port was judged, and by what; of a port that has rules of its own, or knows less than all, which
// it has, and how many of the tests of detectors it passed.
func identity(r *conformance.Report) string {
	p := r.Port
	if p.Name == "" { // it did not start
		return wording.Line(strings.Join(p.Command, " ") + ", " + judgedBy(r))
	}
	line := fmt.Sprintf("%s %s (%s)", p.Name, p.Version, p.Language)
	if command := called(r, p); command != line {
		line += ": " + command
	}
	line += ", " + judgedBy(r)
	if rules := narrowed(p); rules != "" {
		tests, _ := sharesOf(r)
		line += fmt.Sprintf("; %s%d of %d", rules, tests.passed, tests.ran)
	}
	return wording.Line(line)
}

// called returns the name of a port, or the command that started it where two ports have one name.
func called(r *conformance.Report, p conformance.PortInfo) string {
	isOfBoth := r.Port.Name == r.Old.Name && r.Port.Version == r.Old.Version
	if command := strings.Join(p.Command, " "); isOfBoth && command != "" {
		return command
	}
	return fmt.Sprintf("%s %s (%s)", p.Name, p.Version, p.Language)
}

// judgedBy says by what the port was judged.
func judgedBy(r *conformance.Report) string {
	switch {
	case r.Settings.Against != nil:
		return fmt.Sprintf("compared with %s by loopstone %s", called(r, r.Old), r.Suite.Version)
	case r.Settings.LawsAlone:
		return fmt.Sprintf("judged by loopstone %s on the protocol and the laws only", r.Suite.Version)
	default:
		return "judged by loopstone " + r.Suite.Version
	}
}

// narrowed says of a port that does not have the rules of the specification which ones it has: "fingerprint: exact; "
// or "@mine: own rules; " and so on.
func narrowed(port conformance.PortInfo) string {
	text := ""
	for _, offer := range port.Detectors {
		if offer.HasOwnRules() {
			text += wording.Line(string(offer.Detector)) + ": own rules; "
		}
	}
	return text + known(port)
}

// known says of a port that does not know all rules of a detector which ones it knows.
func known(port conformance.PortInfo) string {
	text := ""
	for _, offer := range port.Detectors {
		if offer.Rules != nil {
			text += wording.Line(fmt.Sprintf("%s: %s", offer.Detector, joined(offer.Rules, ", "))) + "; "
		}
	}
	return text
}

// How much of a port's own rules is shown, in characters: of each on a page, on one that is verbose or of Markdown, and
// on a badge. A jsonl report has them whole.
const (
	rulesOnPage  = 400
	rulesInFull  = 20_000
	rulesOnBadge = 60
)

// mostOwn bounds how many detectors of a port's own rules a page shows.
const mostOwn = 5

// ownRule is a detector whose rules the port's authors wrote down themselves, and these rules as JSON.
type ownRule struct{ detector, rules string }

// ownRules returns what the port has of its own rules, each cut to so many characters. The specification says nothing
// of them: that a port keeps to them says nothing of what they are worth.
func ownRules(port conformance.PortInfo, most int) []ownRule {
	var list []ownRule
	for _, offer := range port.Detectors {
		if offer.HasOwnRules() {
			rules := wording.Shortened(wording.Line(offer.Fixed.String()), most)
			list = append(list, ownRule{wording.Line(string(offer.Detector)), rules})
		}
	}
	return list
}

// ownRuleLines returns a line for each detector with rules of the port's own, as far as a page shows them.
func ownRuleLines(port conformance.PortInfo, most int) []string {
	list := ownRules(port, most)
	lines := lists.Map(list[:min(mostOwn, len(list))], func(o ownRule) string {
		return fmt.Sprintf("%s: %s", o.detector, o.rules)
	})
	if more := len(list) - mostOwn; more > 0 {
		lines = append(lines, "and "+wording.Count(more, "detector")+" more; a jsonl report has them")
	}
	return lines
}

// OwnRules returns a line for each detector with rules of the port's own, as a text report shows it.
func OwnRules(r *conformance.Report) []string { return ownRuleLines(r.Port, rulesOnPage) }

// shortRules says on a badge which rules a port has of its own: "@mine, own rules {…}; " and so on.
func shortRules(port conformance.PortInfo) string {
	list := ownRules(port, rulesInFull)
	switch len(list) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("%s, own rules %s: ", list[0].detector, wording.Cut(list[0].rules, rulesOnBadge))
	default:
		return fmt.Sprintf("own rules of %s: ", wording.Count(len(list), "detector"))
	}
}
