package stream

import (
	"testing"
	"unicode/utf8"
)

// TestTheBeginningOfALineSaysAsMuchAsTheLine shows that what is kept of a line is enough to tell at which character it
// begins an element: of all lines of up to six of the characters that elements are made of.
func TestTheBeginningOfALineSaysAsMuchAsTheLine(t *testing.T) {
	t.Parallel()
	const longest = 6
	var extend func(text string, before line)
	extend = func(text string, before line) {
		for _, r := range " |+*1.#>x" {
			now, kept := text+string(r), before
			if got, want := kept.add(r), element.MatchString(now); got != want {
				t.Errorf("after %q the line begins an element: %v, want %v", now, got, want)
			}
			if utf8.RuneCountInString(now) < longest && !element.MatchString(now) && !t.Failed() {
				extend(now, kept)
			}
		}
	}
	extend("", line{})
}
