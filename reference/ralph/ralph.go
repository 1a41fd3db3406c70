// Package ralph is the reference for the detector that D2 compares its own with: an output that is nearly the same as
// one of the last few is a loop, whatever it says.
//
// The clauses are in spec/clauses/ralph.md.
package ralph

import (
	"github.com/loopstone/loopstone/spec"
)

// The defaults of the configuration (D2#core-concept).
const (
	defaultWindow     = 5
	defaultSimilarity = 90
)

// Detector watches the outputs of one agent. Make one with [New].
type Detector struct {
	window     int
	similarity int      // percent
	outputs    []output // the latest, the oldest first
	comparison comparison
	log        *spec.ClauseLog
}

// output is an earlier output, kept to be compared with.
type output struct {
	text  []rune
	index int // of the event; restoredIndex where it was observed before a restore
}

const restoredIndex = -1

// Implementation returns the detector as [spec.NewHost] takes it in.
func Implementation() spec.Implementation {
	profile, _ := spec.ProfileOf(spec.Ralph)
	return spec.Implementation{
		Offer: spec.Offer{Detector: profile.ID, Readings: profile.Readings, Features: profile.Features},
		New: func(_ spec.Reading, config spec.Value) (spec.Detector, error) {
			return New(config)
		},
		Functions: map[string]func(spec.Reading, spec.Value) (spec.Value, error){"ralph.ratio": ratio},
	}
}

// New returns a detector with an empty trace. The configuration has window, how many outputs are kept (5 without it),
// and similarity, how many percent alike two outputs must be (90); both are integers of at least 1. The error is a
// [*spec.Fault] of kind [spec.InvalidConfig].
func New(config spec.Value) (*Detector, error) {
	d := &Detector{window: defaultWindow, similarity: defaultSimilarity}
	err := spec.ReadConfig(config, map[string]spec.Setting{ // RA-2
		"window":     spec.AtLeast(1, &d.window),
		"similarity": spec.AtLeast(1, &d.similarity),
	})
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Observe implements [spec.Detector].
func (d *Detector) Observe(e spec.Event) spec.Verdict {
	if e.Type != spec.Output {
		d.log.Apply("RA-1")
		return spec.Verdict{}
	}
	d.log.Apply("RA-4")
	if e.Text == "" {
		return spec.Verdict{}
	}
	current := output{[]rune(e.Text), e.Index}
	v := d.compare(current)
	d.store(current)
	return v
}

// compare looks for the most similar of the earlier outputs. From the latest to the oldest, only one that is more
// similar than those before replaces them, so that the latest of equally similar ones is named.
func (d *Detector) compare(current output) spec.Verdict {
	for _, clause := range []string{"RA-2", "RA-3", "RA-5", "RA-7"} {
		d.log.Apply(clause)
	}
	best, found := output{}, score{}
	for i := len(d.outputs) - 1; i >= 0; i-- {
		earlier := d.outputs[i]
		s := score{total: len(earlier.text) + len(current.text)}
		least := s.reach(d.similarity)
		s.common = d.comparison.common(earlier.text, current.text, least)
		if s.common >= least && s.exceeds(found) {
			best, found = earlier, s
		}
	}
	if found.total == 0 {
		return spec.Verdict{}
	}
	d.log.Apply("RA-8")
	d.log.Apply("RA-9")
	return spec.Verdict{
		Loop: true, Kind: spec.KindSimilar, Similarity: found.percent(), Evidence: evidence(best, current),
	}
}

// evidence names the earlier output, where it was observed since the last restore, and the current one.
func evidence(earlier, current output) []int { // RA-9
	if earlier.index == restoredIndex {
		return []int{current.index}
	}
	return []int{earlier.index, current.index}
}

// store keeps the output, similar or not, and forgets the oldest one beyond the window.
func (d *Detector) store(o output) { // RA-6
	d.log.Apply("RA-6")
	if len(d.outputs) == d.window {
		copy(d.outputs, d.outputs[1:])
		d.outputs = d.outputs[:len(d.outputs)-1]
	}
	d.outputs = append(d.outputs, o)
}

// Reset implements [spec.Detector].
func (d *Detector) Reset() { // RA-10
	d.log.Apply("RA-10")
	d.outputs = nil
}

// LogClauses implements [spec.ClauseLogger].
func (d *Detector) LogClauses(log *spec.ClauseLog) { d.log = log }
