package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
)

// share is how many tests passed, of those that ran.
type share struct{ passed, ran int }

func shareOf(results []conformance.Result) share {
	counts := tally(results)
	return share{counts[conformance.Passed], len(results) - counts[conformance.Skipped]}
}

// sharesOf counts the tests of the detectors and those of the protocol. An adapter passes the latter whatever its
// detectors are worth, so that they are no part of a port's score.
func sharesOf(r *conformance.Report) (tests, protocol share) {
	ofProtocol, others := lists.Partition(r.Results, isOfProtocol)
	return shareOf(others), shareOf(ofProtocol)
}

func isOfProtocol(result conformance.Result) bool { return result.Detector == cases.Protocol }

// passedOf says how many of the tests that ran passed, and of how many cases and laws they were; those of the protocol
// stand apart.
func passedOf(r *conformance.Report) string {
	word := "passed"
	tests, protocol := sharesOf(r)
	if r.Settings.Against != nil {
		word = "agree"
		tests.passed -= r.CountChanges()[conformance.Fixed]
	}
	switch {
	case tests.ran+protocol.ran == 0:
		return "nothing was checked"
	case tests.ran == 0:
		text := fmt.Sprintf("%d of %s of the protocol %s", protocol.passed, count(protocol.ran, "test"), word)
		if r.OnlyManners() {
			text += ", and no test of a detector ran"
		}
		return text
	}
	return withProtocol(fmt.Sprintf("%d of %s %s%s", tests.passed, count(tests.ran, "test"), word, asked(r)), protocol)
}

// withProtocol adds the tests of the protocol to what is said of the others.
func withProtocol(text string, protocol share) string {
	if protocol.ran == 0 {
		return text
	}
	return fmt.Sprintf("%s, %d of %d of the protocol", text, protocol.passed, protocol.ran)
}

// asked says of how many cases and laws the tests of the detectors are: each is one in every reading.
func asked(r *conformance.Report) string {
	cases, laws := map[string]bool{}, map[string]bool{}
	for _, result := range r.Results {
		switch {
		case result.Status == conformance.Skipped || isOfProtocol(result):
		case slices.Contains(result.Tags, "law") && result.File == "":
			laws[result.Case] = true
		default:
			cases[result.Case] = true
		}
	}
	parts := said(
		remark{len(cases) > 0, count(len(cases), "case")},
		remark{len(laws) > 0, count(len(laws), "law")},
	)
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// tracesOf says how many traces were generated, and from which seeds; empty if none were.
func tracesOf(r *conformance.Report) string {
	seeds := seedsOf(r)
	switch {
	case r.Traces == 0:
		return ""
	case seeds == "":
		return count(r.Traces, "generated trace")
	}
	_, seed, _ := strings.Cut(count(len(r.Settings.Seeds), "seed"), " ")
	return fmt.Sprintf("%s from %s %s", count(r.Traces, "generated trace"), seed, seeds)
}

// seedsOf names the seeds of the generated traces.
func seedsOf(r *conformance.Report) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(r.Settings.Seeds), " ", ", "), "[]")
}
