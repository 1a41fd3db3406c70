package jstext

import (
	"regexp"
	"strings"
	"sync"
)

// Sets of characters, as a class of characters in a pattern lists them.
const (
	LineEnds       = `\n\r\x{2028}\x{2029}`                                                   // SG-5
	blanks         = `\t\v\f \x{A0}\x{1680}\x{2000}-\x{200A}\x{202F}\x{205F}\x{3000}\x{FEFF}` // SG-5
	WordCharacters = `\p{L}\p{N}_`                                                            // SG-17
)

// meanings are the symbols of a pattern that Go reads otherwise.
var meanings = map[string]string{
	`\s`: `[` + blanks + LineEnds + `]`, // SG-5
	`\S`: `[^` + blanks + LineEnds + `]`,
	`.`:  `[^` + LineEnds + `]`,
	`\h`: `[` + blanks + `]`, // SG-17
	`\<`: `(?:^|[^` + WordCharacters + `])`,
	`\>`: `(?:[^` + WordCharacters + `]|$)`,
}

var symbol = regexp.MustCompile(`\\.|[a-z.]`)

// Pattern compiles a regular expression of JavaScript with the flag i and without the flag u, when it is first used: a
// letter matches its upper and its lower case, and no character outside ASCII matches a letter. (SG-8, SG-17)
//
// Three symbols are not JavaScript's: \h is one blank, which is white space that does not end a line; \< and \> are the
// beginning and the end of a whole word, with the character beside it.
func Pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(symbol.ReplaceAllStringFunc(text, func(s string) string {
			if meaning, differs := meanings[s]; differs {
				return meaning
			}
			if len(s) == 1 {
				return "[" + s + strings.ToUpper(s) + "]"
			}
			return s
		}))
	})
}
