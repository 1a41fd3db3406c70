// Package toy is the reference for an example: the same output again is a loop. The clauses are in spec/clauses/toy.md.
package toy

import "github.com/loopstone/loopstone/spec"

// New returns the detector made of its rules.
func New(s spec.Settings) (spec.Detector, error) {
	times := s.Number("times") // TY-2
	return spec.WholeTrace(func(trace []spec.Event) spec.Verdict { return verdict(times, trace) }), nil
}

// verdict is the verdict after the trace, which is not empty.
func verdict(times int, trace []spec.Event) spec.Verdict {
	if trace[len(trace)-1].Type != spec.Output { // TY-1
		return spec.Verdict{}
	}
	var run []int // the latest equal outputs
	text := ""
	for _, e := range trace {
		switch {
		case e.Type != spec.Output: // TY-1
		case len(run) > 0 && e.Text == text: // TY-3
			run = append(run, e.Index)
		default:
			run, text = []int{e.Index}, e.Text
		}
	}
	return Echo(times, len(run), run[max(0, len(run)-spec.MaxEvidence):])
}

// Echo is the verdict on so many equal outputs in a row.
func Echo(times, count int, evidence []int) spec.Verdict {
	if count < times { // TY-3
		return spec.Verdict{}
	}
	return spec.Verdict{Loop: true, Kind: spec.KindEcho, Count: count, Evidence: evidence} // TY-3, TY-4
}
