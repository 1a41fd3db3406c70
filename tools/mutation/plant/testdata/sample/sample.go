// Package sample has one of everything that is mutated.
package sample

import "strings"

const limit = 3

// words begin a sentence. // XX-1
var words = []string{"if", "so"}

// counter counts.
type counter struct {
	n    int
	full bool
}

// add adds the word unless the counter is full.
func (c *counter) add(word string, times int) bool { // XX-2
	if c.full || word == "" {
		return false
	}
	c.n += times
	for _, w := range words {
		if strings.HasPrefix(word, w) {
			c.n++
		}
	}
	c.full = c.n >= limit // XX-3
	return !c.full
}

// cut returns the text between two positions, without commas and dots at its end.
func cut(text string, from, to int) string {
	return strings.TrimRight(text[min(from, to):to], ",.")
}

// fresh returns an empty counter.
func fresh() *counter { return &counter{n: -1, full: false} }
