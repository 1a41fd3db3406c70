// Package toy is the reference for an example: the same output again is a loop. The clauses are in spec/clauses/toy.md.
package toy

import (
	"github.com/loopstone/loopstone/reference/parts/memory"
	"github.com/loopstone/loopstone/spec"
)

// New returns the detector with an empty trace.
func New(s spec.Settings) (spec.Detector, error) {
	times := s.Number("times")                         // TY-2
	fresh := func() remembered { return remembered{} } // TY-5
	return memory.NewDetector(fresh, func(m *remembered, e spec.Event) spec.Verdict {
		if e.Type != spec.Output { // TY-1
			return spec.Verdict{}
		}
		m.add(e)
		return m.verdict(times)
	}), nil
}

// remembered is what the detector remembers.
type remembered struct {
	Output memory.Digest `json:"output"`
	Equal  memory.Streak `json:"equal"` // the latest outputs, all equal
}

// add adds an output to the memory.
func (m *remembered) add(e spec.Event) {
	output := memory.DigestOf(e.Text)
	if output != m.Output { // TY-3
		m.Equal.Reset()
	}
	m.Output = output
	m.Equal.Add(e.Index)
}

// verdict is the verdict after an output.
func (m *remembered) verdict(times int) spec.Verdict {
	if m.Equal.Len() < times { // TY-3
		return spec.Verdict{}
	}
	return spec.Verdict{Loop: true, Kind: spec.KindEcho, Count: m.Equal.Len(), Evidence: m.Equal.Evidence()} // TY-3, TY-4
}
