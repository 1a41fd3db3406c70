package cases

import (
	"fmt"
	"strings"
)

// mostAlike is how alike two texts may be: one minus the number of edits over the length of the longer.
const mostAlike = 0.9

// Copies returns the titles and reasons that are nearly those of an earlier case, one problem a line. Titles are compared
// word by word, since those of a table of values differ in the value alone, and reasons character by character.
func Copies(suite []Case) []error {
	titles, reasons := make([][]string, len(suite)), make([][]rune, len(suite))
	for i, c := range suite {
		titles[i], reasons[i] = strings.Fields(strings.ToLower(c.Title)), []rune(strings.ToLower(c.Why))
	}
	return append(copies(suite, "title", titles), copies(suite, "why", reasons)...)
}

// copies compares one text of every case with that of every earlier one.
func copies[T comparable](suite []Case, name string, texts [][]T) []error {
	var problems []error
	for i, c := range suite {
		for k, earlier := range texts[:i] {
			if alike(texts[i], earlier) {
				problems = append(problems, fmt.Errorf("%s: the %s of %s is nearly that of %s", c.Place, name, c.ID, suite[k].ID))
				break
			}
		}
	}
	return problems
}

// alike reports whether so few edits make one text the other that they are copies.
func alike[T comparable](a, b []T) bool {
	most := int(float64(max(len(a), len(b))) * (1 - mostAlike))
	return within(a, b, most)
}

// within reports whether at most that many edits lie between two texts, where an edit adds, leaves out or replaces one
// item. It looks only at pairs of beginnings whose lengths differ by so few items, and gives up where none of them is
// near enough.
func within[T comparable](a, b []T, most int) bool {
	if max(len(a)-len(b), len(b)-len(a)) > most {
		return false
	}
	far := most + 1
	row := make([]int, len(b)+1) // edits between a[:i] and b[:j], by j; far stands for more
	for j := range row {
		row[j] = min(j, far)
	}
	for i := range a {
		from, to := max(1, i+1-most), min(len(b), i+1+most)
		before := row[from-1] // of a[:i] and b[:j-1]
		row[from-1] = far
		if from == 1 {
			row[0] = min(i+1, far)
		}
		best := row[from-1]
		for j := from; j <= to; j++ {
			edits := min(row[j-1], row[j]) + 1
			if a[i] == b[j-1] {
				edits = min(edits, before)
			} else {
				edits = min(edits, before+1)
			}
			before, row[j] = row[j], min(edits, far)
			best = min(best, row[j])
		}
		if to < len(b) {
			row[to+1] = far
		}
		if best == far {
			return false
		}
	}
	return row[len(b)] <= most
}
