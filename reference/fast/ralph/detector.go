// Package ralph is the fast twin of reference/ralph: the same verdicts output by output, with snapshots. It compares
// texts by Hyyrö's bit-parallel algorithm.
package ralph

import (
	"slices"

	"github.com/loopstone/loopstone/reference/fast"
	rules "github.com/loopstone/loopstone/reference/ralph"
	"github.com/loopstone/loopstone/spec"
)

// detector finds the verdicts of the rules event by event: it keeps the window, and compares fast.
type detector struct {
	config     rules.Config
	outputs    []output // the latest, the oldest first
	comparison comparison
}

// output is an earlier output, kept to be compared with.
type output struct {
	text  []rune
	index int // of the event; [fast.Restored] where it was observed before a restore
}

// Functions holds the detector's function, which long texts make slow in the rules.
var Functions = map[string]spec.Function{
	"ralph.ratio": rules.Ratio(func(a, b []rune) int { return new(comparison).common(a, b, 0) }),
}

// New returns the detector with an empty trace.
func New(s spec.Settings) (spec.Detector, error) { return &detector{config: rules.ConfigOf(s)}, nil }

// Observe implements [spec.Detector].
func (d *detector) Observe(e spec.Event) spec.Verdict {
	if !rules.Observed(e) { // RA-1, RA-4
		return spec.Verdict{}
	}
	current := output{[]rune(e.Text), e.Index}
	best, highest := d.mostSimilar(current.text)
	d.store(current)
	switch {
	case highest == rules.Score{}:
		return spec.Verdict{}
	case best.index == fast.Restored: // RA-9
		return rules.Similar(highest, current.index)
	}
	return rules.Similar(highest, best.index, current.index)
}

// mostSimilar returns the most similar stored output, of several the latest; the zero score if no output is similar
// enough.
func (d *detector) mostSimilar(text []rune) (best output, highest rules.Score) {
	for _, earlier := range slices.Backward(d.outputs) { // RA-3; the latest first: RA-9
		s := rules.Score{Total: len(earlier.text) + len(text)}
		least := (d.config.Similarity*s.Total + 199) / 200 // RA-5: 200·common ≥ similarity·total
		if highest != (rules.Score{}) {
			least = max(least, exceeded(highest, s.Total))
		}
		s.Common = d.comparison.common(earlier.text, text, least)
		if s.Common >= least {
			best, highest = earlier, s
		}
		if 2*highest.Common == highest.Total && highest.Total > 0 { // equal: no earlier one exceeds it
			break
		}
	}
	return best, highest
}

// exceeded returns how much two texts of this total must have in common to exceed the score.
func exceeded(s rules.Score, total int) int { return s.Common*total/s.Total + 1 }

// store keeps the output, similar or not, and forgets the oldest one beyond the window.
func (d *detector) store(o output) { // RA-6
	if len(d.outputs) == d.config.Window {
		d.outputs = slices.Delete(d.outputs, 0, 1)
	}
	d.outputs = append(d.outputs, o)
}

// Reset implements [spec.Detector].
func (d *detector) Reset() { d.outputs = nil } // RA-10
