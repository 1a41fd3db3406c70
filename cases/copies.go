package cases

import (
	"fmt"
	"slices"
	"strings"
)

// Copies returns the titles and reasons that are nearly those of an earlier case, one problem a line.
func Copies(suite []Case) []error {
	titles := copies(suite, "title", func(c Case) string { return c.Title })
	return append(titles, copies(suite, "why", func(c Case) string { return c.Why })...)
}

// copies compares one text of every case with that of every earlier one.
func copies(suite []Case, name string, text func(Case) string) []error {
	var problems []error
	texts := make([][]string, len(suite))
	for i, c := range suite {
		texts[i] = strings.Fields(strings.ToLower(text(c)))
		of := slices.IndexFunc(texts[:i], func(earlier []string) bool { return alike(texts[i], earlier) })
		if of >= 0 {
			problems = append(problems, fmt.Errorf("%s: the %s of %s is nearly that of %s", c.Place, name, c.ID, suite[of].ID))
		}
	}
	return problems
}

// alike reports whether more than nine of ten words of the longer text stand in the other, too, in the same order.
func alike(a, b []string) bool {
	enough := func(shared int) bool { return 10*shared > 9*max(len(a), len(b)) }
	if !enough(min(len(a), len(b))) {
		return false
	}
	shared := make([]int, len(b)+1) // by the words of a so far and the first of b: their longest common subsequence
	for _, word := range a {
		before := 0
		for j, other := range b {
			above := shared[j+1]
			if shared[j+1] = max(above, shared[j]); word == other {
				shared[j+1] = before + 1
			}
			before = above
		}
	}
	return enough(shared[len(b)])
}
