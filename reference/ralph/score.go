package ralph

import "github.com/loopstone/loopstone/spec"

// score is how much two texts have in common: the similarity 200·common/total as the fraction that it is, so that no
// threshold depends on how a double is rounded.
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

// reach returns the least common length with which two texts of this total are similar.
func (s score) reach(similarity int) int { // RA-5
	return (similarity*s.total + 199) / 200
}

// exceeds reports whether s is more similar than t; any score exceeds the zero score.
func (s score) exceeds(t score) bool {
	return t.total == 0 || s.common*t.total > t.common*s.total
}

// ratio is the function ralph.ratio: the similarity of two texts in percent.
func ratio(_ spec.Reading, args spec.Value) (spec.Value, error) { // RA-12
	a, okA := args.Get("a").Str()
	b, okB := args.Get("b").Str()
	if !okA || !okB {
		return spec.Value{}, spec.BadParams("want strings a and b, got %s and %s", args.Get("a").Kind(), args.Get("b").Kind())
	}
	x, y := []rune(a), []rune(b)
	s := score{total: len(x) + len(y)}
	s.common = new(comparison).common(x, y, 0)
	return spec.FloatValue(s.percent()), nil
}
