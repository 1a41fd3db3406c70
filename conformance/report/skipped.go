package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
)

// againstThePolicy marks what a strict run does not allow to be left out.
const againstThePolicy = "; --strict demands them"

// notChecked says what was not asked: a line for each kind of reason, with the number of cases and what they needed.
// What a strict run does not allow comes first.
func notChecked(r *conformance.Report) []string {
	intolerable := lists.Map(r.Intolerable(), nameOf)
	skipped, tolerable := lists.Partition(withStatus(r.Results, conformance.Skipped),
		func(result conformance.Result) bool { return slices.Contains(intolerable, nameOf(result)) })
	kindOf := func(result conformance.Result) string { return whySkipped(r.Port, result).kind }
	var lines []string
	for _, g := range groupBy(skipped, kindOf) {
		lines = append(lines, skips(r.Port, g)+againstThePolicy)
	}
	for _, g := range groupBy(tolerable, kindOf) {
		lines = append(lines, skips(r.Port, g))
	}
	lines = slices.Concat(lines, notAsked(r.Port), notCompared(r), notSelected(r.Suite, r.Settings.SelectedBy))
	if r.PartAlone {
		lines = append(lines, partAlone(r)+"; --report jsonl=FILE keeps it for loopstone merge"+againstThePolicy)
	}
	return lines
}

// mostParts bounds how many parts of a declaration a line names.
const mostParts = 8

// notNeeded says what to do about something that a port declares and no case asks for.
const notNeeded = "; a port that does not need it does not declare it"

// notAsked says what the port declares and no test is about, and what to do.
func notAsked(port conformance.PortInfo) []string {
	unasked, unreached := lists.Partition(port.Unexercised, func(p conformance.Part) bool { return p.Why == "" })
	return said(
		remark{len(unasked) > 0, "declared, but no case of the suite tests it: " + named(unasked) + notNeeded},
		remark{len(unreached) > 0, "declared, but beyond what is tested: " + named(unreached)},
		remark{len(port.Idle) > 0, "no trace was found whose verdict depends on it: " + named(port.Idle)},
	)
}

// named lists parts, but not very many.
func named(parts []conformance.Part) string {
	names := lists.Map(parts[:min(len(parts), mostParts)], conformance.Part.String)
	if more := len(parts) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return wording.Line(strings.Join(names, ", "))
}

// notCompared says which members of verdicts the port does not declare, a line for each detector.
func notCompared(r *conformance.Report) []string {
	var lines []string
	for _, offer := range r.Port.Detectors {
		if names := offer.Uncompared(); len(names) > 0 {
			lines = append(lines, wording.Line(fmt.Sprintf("members of verdicts that the port does not declare: %s of %s",
				strings.Join(names, ", "), offer.Detector)))
		}
	}
	return lines
}

// skip is why a case was not asked: a kind of reason, and what exactly is not there.
type skip struct{ kind, what string }

// whySkipped returns the reason of a skip.
func whySkipped(port conformance.PortInfo, result conformance.Result) skip {
	offer, offered := port.Offer(result.Detector)
	switch {
	case len(result.Missing) > 0:
		return skip{"of features that the port does not declare", joined(result.Missing, "+")}
	case len(result.MissingRules) > 0:
		return skip{"of rules that the port does not declare", joined(result.MissingRules, "+")}
	case len(result.MissingSettings) > 0:
		return skip{"with settings that the port does not declare", joined(result.MissingSettings, "+")}
	case len(result.MissingMembers) > 0:
		return skip{"of members of verdicts that the port does not declare", joined(result.MissingMembers, "+")}
	case !offered:
		return skip{"of detectors that the port does not declare", wording.Line(string(result.Detector))}
	case !slices.Contains(offer.Readings, result.Reading):
		return skip{
			"of readings that the port does not declare",
			wording.Line(fmt.Sprintf("%s %s", result.Detector, result.Reading)),
		}
	default:
		return skip{wording.Line(result.Reason), ""}
	}
}

// skips returns the line for skips of one kind: how many there are, and of what.
func skips(port conformance.PortInfo, g group) string {
	var parts []string
	for _, missing := range groupBy(g.results,
		func(result conformance.Result) string { return whySkipped(port, result).what }) {
		amount := fmt.Sprint(len(missing.results))
		if len(missing.results[0].Missing) > 0 {
			amount = byDetector(missing.results) // detectors have features in common, and hardly anything else
		}
		if missing.key != "" {
			parts = append(parts, fmt.Sprintf("%s (%s)", missing.key, amount))
		}
	}
	tests := wording.Count(len(g.results), "test")
	if parts == nil {
		return tests + ": " + g.key
	}
	return fmt.Sprintf("%s %s: %s", tests, g.key, strings.Join(parts, ", "))
}

func byDetector(results []conformance.Result) string {
	counts := map[string]int{}
	for _, result := range results {
		counts[string(result.Detector)]++
	}
	var parts []string
	for _, detector := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %d", detector, counts[detector]))
	}
	return wording.Line(strings.Join(parts, ", "))
}

// notSelected says what the selection left out, and which file selected, since nobody sees that in the command. The
// protocol has a line of its own: whether the adapter keeps to it is another question than whether the port is right.
func notSelected(suite conformance.SuiteInfo, by string) []string {
	why := "not selected for this run"
	if by != "" {
		why += wording.Line(" (" + by + ")")
	}
	protocol, laws := suite.UnselectedProtocol, suite.UnselectedLaws
	others, unchecked := suite.Total-suite.Selected-protocol, suite.UncheckedLaws
	ofProtocol := wording.Count(protocol, "case") + " of the protocol: " + why + "; loopstone check-adapter runs them"
	return said(
		remark{protocol > 0, ofProtocol},
		remark{others > 0, wording.Count(others, "case") + ": " + why},
		remark{laws > 0, wording.Count(laws, "law") + ": " + why},
		remark{unchecked > 0, wording.Count(unchecked, "law") + ": left out of this run"},
	)
}
