// Package ralph is the reference of the detector that D2 calls ralph and compares its own with: an output that is
// nearly the same as one of the last few outputs, by their longest common subsequence, is a loop.
//
// After each output that is not empty:
//
//  1. Compare it with each of the last `window` outputs before it. (RA-3)
//  2. The similarity is twice the length of the longest common subsequence, in percent of both lengths. (RA-7)
//  3. It is a loop if an earlier output is similar enough. The most similar of these, of several the latest, is the
//     evidence. (RA-5, RA-9)
//  4. Store it, similar or not. (RA-6)
//
// The clauses are in spec/clauses/ralph.md. comparison.go finds the length of a longest common subsequence; to
// understand the detector, it is enough to know that.
package ralph

import (
	"github.com/loopstone/loopstone/reference/parts/memory"
	"github.com/loopstone/loopstone/spec"
)

// Config is a configuration: how many outputs are kept, and how many percent alike two outputs must be. Both are at
// least 1.
type Config struct{ Window, Similarity int }

// ConfigOf takes the configuration from the settings; their defaults stand in the detector's row of spec/detectors.go.
func ConfigOf(s spec.Settings) Config { // RA-2
	return Config{Window: s.Number("window"), Similarity: min(s.Number("similarity"), never)}
}

// never is a similarity that no two texts have.
const never = 101

// New returns the detector with an empty trace.
func New(s spec.Settings) (spec.Detector, error) {
	r := &rules{Config: ConfigOf(s)}
	return memory.NewDetector(r.fresh, r.observe), nil
}

// rules are the rules of a session.
type rules struct {
	Config

	comparison
}

// remembered is what the detector remembers: the latest outputs.
type remembered struct { // RA-11
	Outputs memory.Window[output] `json:"outputs"`
}

type output struct {
	Text  string `json:"text"`
	index memory.Index
}

func (r *rules) fresh() remembered { // RA-10
	return remembered{memory.NewWindow[output](r.Window)}
}

// observe compares an output with the stored outputs, and stores it.
func (r *rules) observe(m *remembered, e spec.Event) spec.Verdict {
	if e.Type != spec.Output || e.Text == "" { // RA-1, RA-4
		return spec.Verdict{}
	}
	current := output{e.Text, memory.IndexOf(e)}
	best, highest := r.mostSimilar(m.Outputs.Items(), current)
	m.Outputs.Add(current) // RA-6: similar or not
	if highest == (score{}) {
		return spec.Verdict{}
	}
	return spec.Verdict{ // RA-8, RA-9
		Loop: true, Kind: spec.KindSimilar, Similarity: highest.percent(),
		Evidence: memory.Evidence([]memory.Index{best.index, current.index}),
	}
}

// mostSimilar returns the most similar of the outputs that are similar enough; the zero score if none is.
func (r *rules) mostSimilar(stored []output, current output) (best output, highest score) {
	for _, earlier := range stored { // RA-3, RA-7
		a, b := []rune(earlier.Text), []rune(current.Text)
		s := score{total: len(a) + len(b)}
		least := (r.Similarity*s.total + 199) / 200 // RA-5: in integers, rounded up
		s.common = r.common(a, b, least)
		if s.common >= least && s.atLeast(highest) { // RA-9: the latest of equally similar outputs
			best, highest = earlier, s
		}
	}
	return best, highest
}

// score is how much two texts have in common: the similarity 200·common/total as a fraction, so that no threshold
// depends on how a double is rounded. The zero score is the score of two empty texts, and also means that none was
// found.
type score struct {
	common int // length of their longest common subsequence, in code points
	total  int // length of both, in code points
}

// percent returns the similarity, from 0 to 100. Two empty texts have 100.
func (s score) percent() float64 { // RA-7
	if s.total == 0 {
		return 100
	}
	return float64(200*s.common) / float64(s.total)
}

// atLeast reports whether s is as similar as t or more; any score is at least the zero score.
func (s score) atLeast(t score) bool { return s.common*t.total >= t.common*s.total }
