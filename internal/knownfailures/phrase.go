package knownfailures

import (
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/conformance"
)

// nameOf returns the result's case, with its reading where it has one, as reports name it.
func nameOf(r conformance.Result) string {
	if r.Reading == "" {
		return r.Case
	}
	return fmt.Sprintf("%s (%s)", r.Case, r.Reading)
}

// nameAndPlace returns the result's case and where it failed.
func nameAndPlace(r conformance.Result) string {
	if r.Failure == nil {
		return nameOf(r)
	}
	return nameOf(r) + " " + where(stepOf(r.Failure), firstPath(r.Failure))
}

// nameAndReason returns the result's case and why it was not run, on one line.
func nameAndReason(r conformance.Result) string {
	reason := r.Reason
	if reason == "" && r.Failure != nil {
		reason = r.Failure.Problem // of an adapter that broke the protocol
	}
	if reason == "" {
		reason = string(r.Status)
	}
	return fmt.Sprintf("%s, %s", nameOf(r), strings.Join(strings.Fields(reason), " "))
}

// where says in words at which step and in which member a case fails.
func where(step int, member string) string {
	var words []string
	switch {
	case step > 0:
		words = append(words, fmt.Sprintf("at step %d", step))
	case step == 0:
		words = append(words, "outside the steps")
	}
	if member != "" {
		words = append(words, fmt.Sprintf("in member %q", member))
	}
	return strings.Join(words, " ")
}

// stepOf returns the step of a failure, AnyStep for a case that has no steps.
func stepOf(f *conformance.Failure) int {
	if f.Steps == 0 {
		return AnyStep
	}
	return f.Step
}

// firstPath returns the path of a failure's first difference, empty where it has none.
func firstPath(f *conformance.Failure) string {
	if len(f.Differences) == 0 {
		return ""
	}
	return f.Differences[0].Path
}

// share begins a sentence about some of the results that an entry matches: "the case passes", "2 of 5 cases pass".
func share(some, all []conformance.Result, one, many string) string {
	switch {
	case len(all) == 1:
		return "the case " + one
	case len(some) == len(all):
		return fmt.Sprintf("all %d cases %s", len(all), many)
	default:
		return fmt.Sprintf("%d of %d cases %s", len(some), len(all), many)
	}
}

// maxNamed bounds how many results one line names.
const maxNamed = 10

// enumerate names results, the first of them where they are many.
func enumerate(list []conformance.Result, name func(conformance.Result) string) string {
	names := make([]string, 0, maxNamed+1)
	for i, r := range list {
		if i == maxNamed {
			names = append(names, fmt.Sprintf("and %d more", len(list)-maxNamed))
			break
		}
		names = append(names, name(r))
	}
	return strings.Join(names, "; ")
}
