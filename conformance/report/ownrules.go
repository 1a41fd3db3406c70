package report

import (
	"fmt"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
)

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
		lines = append(lines, "and "+count(more, "detector")+" more; a jsonl report has them")
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
		return fmt.Sprintf("own rules of %s: ", count(len(list), "detector"))
	}
}
