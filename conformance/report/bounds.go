package report

import (
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/wording"
)

// scales are how much of a failure is shown where there are few failures with much in them, and where there are many:
// the characters of a text, and the differences.
var scales = []struct{ text, differences int }{{4000, 100}, {1000, 50}, {250, 20}, {120, 5}}

// maxShown bounds what the failures of one report may take, in bytes: a report of 1 MB is read by nobody, and refused
// by some CI systems.
const maxShown = 250_000

// bounded returns the report as every format has it: with long texts and lists of its failures cut, each with a mark,
// so that a port which says much does not make the report large. A report that was read back is cut already.
func bounded(r *conformance.Report) *conformance.Report {
	b := *r
	for _, scale := range scales {
		size := 0
		b.Results = slices.Clone(r.Results)
		for i := range b.Results {
			result := &b.Results[i]
			result.Reason = wording.Shortened(result.Reason, scale.text)
			size += len(result.Reason)
			if result.Failure != nil {
				f := boundedFailure(*result.Failure, scale.text, scale.differences)
				result.Failure = &f
				size += len(f.Problem) + len(f.Action)
				for _, d := range f.Differences {
					size += len(d.Path) + len(d.Want) + len(d.Got)
				}
			}
		}
		if size <= maxShown {
			break
		}
	}
	return &b
}

func boundedFailure(f conformance.Failure, text, differences int) conformance.Failure {
	f.Problem, f.Action = wording.Shortened(f.Problem, text), wording.Shortened(f.Action, text)
	f.Differences = slices.Clone(f.Differences)
	if n := len(f.Differences) - differences; n > 0 {
		f.Differences = f.Differences[:differences]
		f.Problem += fmt.Sprintf(", and in %s", count(n, "member")+" more")
	}
	for i := range f.Differences {
		d := &f.Differences[i]
		d.Path, d.Want = wording.Shortened(d.Path, text), wording.Shortened(d.Want, text)
		d.Got = wording.Shortened(d.Got, text)
	}
	return f
}
