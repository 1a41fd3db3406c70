package stream

import (
	"testing"
	"unicode/utf8"
)

// TestTheBeginningOfALineSaysAsMuchAsTheLine shows that what is kept of a line is enough to tell at which character it
// begins an element: of all lines of up to five of the characters that elements are made of, and two others.
func TestTheBeginningOfALineSaysAsMuchAsTheLine(t *testing.T) {
	t.Parallel()
	const longest = 5
	var extend func(text string, before line)
	extend = func(text string, before line) {
		for _, r := range " \t|+-*1.#>xé\n" {
			now, kept := text+string(r), before
			got, want := kept.add(r), element.MatchString(now)
			if got != want {
				t.Errorf("after %q the line begins an element: %v, want %v", now, got, want)
			}
			if !want && r != '\n' && utf8.RuneCountInString(now) < longest && !t.Failed() {
				extend(now, kept)
			}
		}
	}
	extend("", line{})
}
