// Package ralph is the reference for the detector that D2 compares its own with: an output that is nearly the same as
// one of the last few is a loop, whatever it says. After each output that is not empty:
//
//  1. It is compared with each of the last few outputs before it, by the length of their longest common subsequence.
//  2. The most similar of those that are similar enough, and of equally similar ones the latest, makes it a loop.
//  3. It is stored, similar or not.
//
// The rules stand in rules.go; detector.go finds the same verdicts event by event, with the fast comparison of
// comparison.go. The clauses are in spec/clauses/ralph.md.
package ralph

import "github.com/loopstone/loopstone/spec"

// config is a configuration: how many outputs are kept, and how many percent alike two outputs must be. Both are at
// least 1.
type config struct{ window, similarity int }

// readConfig reads a configuration; its error is a [*spec.Fault] of kind [spec.InvalidConfig].
func readConfig(v spec.Value) (config, error) {
	c := config{window: 5, similarity: 90} // RA-2
	err := spec.ReadConfig(v, map[string]spec.Setting{
		"window":     spec.AtLeast(1, &c.window),
		"similarity": spec.AtLeast(1, &c.similarity),
	})
	return c, err
}

// observed reports whether the detector takes the event in.
func observed(e spec.Event) bool {
	return e.Type == spec.Output && e.Text != "" // RA-1, RA-4
}

// verdict is the verdict after the trace, which is not empty.
func verdict(c config, trace []spec.Event) spec.Verdict {
	current := trace[len(trace)-1]
	if !observed(current) {
		return spec.Verdict{}
	}
	var stored []spec.Event
	for _, e := range trace[:len(trace)-1] {
		if observed(e) { // RA-6: similar or not
			stored = append(stored, e)
		}
	}
	best, highest := spec.Event{}, score{}
	for _, earlier := range stored[max(0, len(stored)-c.window):] { // RA-3, RA-6
		a, b := []rune(earlier.Text), []rune(current.Text)
		s := score{common(a, b), len(a) + len(b)}
		if 200*s.common >= c.similarity*s.total && s.atLeast(highest) { // RA-5, RA-9: the latest of equally similar ones
			best, highest = earlier, s
		}
	}
	if highest == (score{}) {
		return spec.Verdict{}
	}
	return similar(highest, best.Index, current.Index)
}

// similar is the verdict on a pair of outputs that are a loop.
func similar(s score, evidence ...int) spec.Verdict { // RA-8, RA-9
	return spec.Verdict{Loop: true, Kind: spec.KindSimilar, Similarity: s.percent(), Evidence: evidence}
}

// score is how much two texts have in common: the similarity 200·common/total as the fraction that it is, so that no
// threshold depends on how a double is rounded. The zero score, that of two empty texts, stands for none found, too.
type score struct {
	common int // length of their longest common subsequence, in code points
	total  int // length of both, in code points
}

// percent returns the similarity, from 0 to 100; two empty texts are alike.
func (s score) percent() float64 { // RA-7
	if s.total == 0 {
		return 100
	}
	return float64(200*s.common) / float64(s.total)
}

// atLeast reports whether s is as similar as t or more; any score is at least the zero score.
func (s score) atLeast(t score) bool { return s.common*t.total >= t.common*s.total }

// common returns the length of the longest common subsequence of two texts. [RA-7]
func common(a, b []rune) int {
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
