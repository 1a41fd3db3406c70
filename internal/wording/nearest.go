package wording

import (
	"fmt"
	"slices"
	"strings"
)

// Nearest returns the name with the fewest edits from what was typed, the first of several, and whether it is near
// enough to be meant: one edit, or one for every three characters. An edit inserts, deletes or replaces a character, or
// swaps two neighbours. Upper and lower case do not matter. A name with something behind it, as in crow/code or
// crow:code, is meant as well.
func Nearest[T ~string](typed T, names []T) (T, bool) {
	var best T
	if i := strings.IndexAny(string(typed), "/: "); i > 0 && slices.Contains(names, typed[:i]) {
		return typed[:i], true
	}
	from := []rune(strings.ToLower(string(typed)))
	least := max(1, len(from)/3) + 1
	for _, name := range names {
		to := []rune(strings.ToLower(string(name)))
		if n := len(to) - len(from); max(n, -n) >= least { // it takes so many edits at least
			continue
		}
		if n := distance(from, to); n < least {
			best, least = name, n
		}
	}
	return best, best != ""
}

// Hint returns a hint about an unknown name: the name that was probably meant, or all names.
func Hint[T ~string](typed T, names []T) string {
	if name, ok := Nearest(typed, names); ok {
		return fmt.Sprintf("did you mean %q?", string(name))
	}
	if len(names) == 0 {
		return "there are none"
	}
	return "there are " + Join(names, ", ")
}

// distance returns the number of edits from a to b if no part is edited twice: the optimal string alignment.
func distance(a, b []rune) int {
	var before []int // the row before the previous one
	previous := make([]int, len(b)+1)
	for j := range previous {
		previous[j] = j
	}
	for i := range a {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range b {
			replaced := previous[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(replaced, previous[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, previous = previous, row
	}
	return previous[len(b)]
}
