// Package ralph is the reference of the detector that D2 compares its own with: an output that is nearly the same as
// one of the last few outputs is a loop.
//
// After each output that is not empty:
//
//  1. Compare it with each of the last `window` outputs before it. (RA-3)
//  2. The similarity is twice the length of the longest common subsequence, in percent of both lengths. (RA-7)
//  3. It is a loop if an earlier output is similar enough. The most similar of these, of several the latest, is the
//     evidence. (RA-5, RA-9)
//  4. Store it, similar or not. (RA-6)
//
// The verdict is a function of the configuration and the events since the last reset. The clauses are in
// spec/clauses/ralph.md, the fast twin in reference/fast/ralph.
package ralph

import "github.com/loopstone/loopstone/spec"

// Config is a configuration: how many outputs are kept, and how many percent alike two outputs must be. Both are at
// least 1.
type Config struct{ Window, Similarity int }

// ConfigOf takes the configuration from the settings; their defaults stand in the detector's row of spec/detectors.go.
func ConfigOf(s spec.Settings) Config { // RA-2
	return Config{Window: s.Number("window"), Similarity: s.Number("similarity")}
}

// New returns the detector made of its rules.
func New(s spec.Settings) (spec.Detector, error) {
	c := ConfigOf(s)
	return spec.WholeTrace(func(trace []spec.Event) spec.Verdict { return verdict(c, trace) }), nil // RA-10
}

// Observed reports whether the detector compares and stores the event.
func Observed(e spec.Event) bool {
	return e.Type == spec.Output && e.Text != "" // RA-1, RA-4
}

// verdict is the verdict after the trace, which is not empty.
func verdict(c Config, trace []spec.Event) spec.Verdict {
	current := trace[len(trace)-1]
	if !Observed(current) {
		return spec.Verdict{}
	}
	var stored []spec.Event
	for _, e := range trace[:len(trace)-1] {
		if Observed(e) { // RA-6: similar or not
			stored = append(stored, e)
		}
	}
	best, highest := spec.Event{}, Score{}
	for _, earlier := range stored[max(0, len(stored)-c.Window):] { // RA-3, RA-6
		a, b := []rune(earlier.Text), []rune(current.Text)
		s := Score{Common(a, b), len(a) + len(b)}
		if 200*s.Common >= c.Similarity*s.Total && s.atLeast(highest) { // RA-5, RA-9: the latest of equally similar outputs
			best, highest = earlier, s
		}
	}
	if highest == (Score{}) {
		return spec.Verdict{}
	}
	return Similar(highest, best.Index, current.Index)
}

// Similar is the verdict on a pair of outputs that are a loop.
func Similar(s Score, evidence ...int) spec.Verdict { // RA-8, RA-9
	return spec.Verdict{Loop: true, Kind: spec.KindSimilar, Similarity: s.percent(), Evidence: evidence}
}

// Score is how much two texts have in common: the similarity 200·common/total as a fraction, so that no threshold
// depends on how a double is rounded. The zero score is the score of two empty texts, and also means that none was
// found.
type Score struct {
	Common int // length of their longest common subsequence, in code points
	Total  int // length of both, in code points
}

// percent returns the similarity, from 0 to 100. Two empty texts have 100.
func (s Score) percent() float64 { // RA-7
	if s.Total == 0 {
		return 100
	}
	return float64(200*s.Common) / float64(s.Total)
}

// atLeast reports whether s is as similar as t or more; any score is at least the zero score.
func (s Score) atLeast(t Score) bool { return s.Common*t.Total >= t.Common*s.Total }

// Common returns the length of the longest common subsequence of two texts.
func Common(a, b []rune) int { // RA-7
	row := make([]int, len(b)+1) // row[j]: what a has in common with the first j code points of b, as far as a was read
	for _, x := range a {
		above := row
		row = make([]int, len(b)+1)
		for j, y := range b {
			if x == y {
				row[j+1] = above[j] + 1
			} else {
				row[j+1] = max(above[j+1], row[j])
			}
		}
	}
	return row[len(b)]
}
