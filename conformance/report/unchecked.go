package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

// againstThePolicy marks what a strict run does not allow to be left out.
const againstThePolicy = "; against the policy of this run"

// notChecked says what was not asked: a line for each kind of reason, with the number of cases and what they needed.
// What a strict run does not allow comes first.
func notChecked(r *conformance.Report) []string {
	intolerable := map[string]bool{}
	for _, result := range r.Intolerable() {
		intolerable[nameOf(result)] = true
	}
	var lines []string
	for _, policy := range []string{againstThePolicy, ""} {
		var skipped []conformance.Result
		for _, result := range withStatus(r.Results, conformance.Skipped) {
			if intolerable[nameOf(result)] == (policy != "") {
				skipped = append(skipped, result)
			}
		}
		for _, g := range groupBy(skipped, func(result conformance.Result) string { return whySkipped(r.Port, result).kind }) {
			lines = append(lines, skips(r.Port, g)+policy)
		}
	}
	return append(lines, notSelected(r.Suite)...)
}

// skip is why a case was not asked: a kind of reason, and what exactly is not there.
type skip struct{ kind, what string }

// whySkipped returns the reason of a skip.
func whySkipped(port conformance.PortInfo, result conformance.Result) skip {
	readings, offered := offerOf(port, result.Detector)
	switch {
	case len(result.Missing) > 0:
		return skip{"needing features that the port does not declare", features(result, "+")}
	case !offered:
		return skip{"of detectors that the port does not offer", oneLine(string(result.Detector))}
	case !slices.Contains(readings, result.Reading):
		return skip{"of readings that the port does not offer", oneLine(fmt.Sprintf("%s %s", result.Detector, result.Reading))}
	default:
		return skip{oneLine(result.Reason), ""}
	}
}

// offerOf returns the readings in which the port offers a detector, and whether it offers it at all.
func offerOf(port conformance.PortInfo, detector spec.DetectorID) ([]spec.Reading, bool) {
	for _, offer := range port.Detectors {
		if offer.Detector == detector {
			return offer.Readings, true
		}
	}
	return nil, false
}

// skips returns the line for skips of one kind: how many there are, and of what.
func skips(port conformance.PortInfo, g group) string {
	var parts []string
	for _, missing := range groupBy(g.results, func(result conformance.Result) string { return whySkipped(port, result).what }) {
		amount := fmt.Sprint(len(missing.results))
		if len(missing.results[0].Missing) > 0 {
			amount = byDetector(missing.results)
		}
		if missing.key != "" {
			parts = append(parts, fmt.Sprintf("%s (%s)", missing.key, amount))
		}
	}
	cases := count(len(g.results), "case", "cases")
	if parts == nil {
		return cases + ": " + g.key
	}
	return fmt.Sprintf("%s %s: %s", cases, g.key, strings.Join(parts, ", "))
}

func byDetector(results []conformance.Result) string {
	counts := map[string]int{}
	for _, result := range results {
		counts[string(result.Detector)]++
	}
	var words []string
	for _, detector := range slices.Sorted(maps.Keys(counts)) {
		words = append(words, fmt.Sprintf("%s %d", detector, counts[detector]))
	}
	return oneLine(strings.Join(words, ", "))
}

// notSelected says what the selection left out. The protocol has a line of its own: whether the adapter keeps to it is
// another question than whether the port is right.
func notSelected(suite conformance.SuiteInfo) []string {
	var lines []string
	protocol := suite.UnselectedProtocol
	if protocol > 0 {
		lines = append(lines, fmt.Sprintf("%s of the protocol: not selected for this run; loopstone check-adapter carries them out",
			count(protocol, "case", "cases")))
	}
	if n := suite.Total - suite.Selected - protocol; n > 0 {
		lines = append(lines, fmt.Sprintf("%s: not selected for this run", count(n, "case", "cases")))
	}
	if n := suite.UncheckedLaws; n > 0 {
		lines = append(lines, fmt.Sprintf("%s on generated traces: left out of this run", count(n, "check", "checks")))
	}
	return lines
}

// features names what a port would have to declare for a case, in one order.
func features(result conformance.Result, separator string) string {
	words := make([]string, len(result.Missing))
	for i, f := range result.Missing {
		words[i] = string(f)
	}
	slices.Sort(words)
	return oneLine(strings.Join(words, separator))
}
