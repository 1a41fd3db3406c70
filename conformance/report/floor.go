package report

import (
	"fmt"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/floor"
)

// hasFloor reports whether the published floor is that of the suite which was run, whole: a part of it, or another suite,
// has another floor.
func hasFloor(r *conformance.Report) bool {
	return r.Suite.Selected == r.Suite.Total && r.Suite.Digest == floor.Published().Digest
}

// score returns the share of the cases asked that passed.
func score(p part) string {
	c := tally(p.results)
	asked := len(p.results) - c[conformance.Skipped]
	if asked == 0 {
		return "-"
	}
	return percent(100 * float64(c[conformance.Passed]) / float64(asked))
}

// floorOf returns the share that a port passes which only guesses.
func floorOf(p part) string {
	s, ok := floor.Published().Score(p.detector, p.reading)
	if !ok {
		return "-"
	}
	return percent(s.Percent())
}

// percent cuts a share to a whole number, so that 100 % means all.
func percent(share float64) string { return fmt.Sprintf("%d %%", int(share)) }
