package spec

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MostID is how long an id of a detector, and a name that a port declares for one, may be, in characters (PR-45).
const MostID = 64

// CheckID returns what is wrong with an id of a detector by its grammar (PR-45), nil if nothing is: @ or nothing, then
// a lower-case letter, then lower-case letters, digits, - and _. Reports and badges print an id: it must not look like
// another one, and mean nothing to a terminal, a pattern or a list.
func CheckID(id DetectorID) error {
	if strings.TrimPrefix(string(id), "@") == reserved {
		return fmt.Errorf("%q is no id of a detector: reports give it to the tests of the protocol (PR-45)", id)
	}
	g := grammar{what: "id of a detector", prefix: "@", letters: lower, says: "an optional @, then lower-case letters"}
	return g.check(string(id))
}

// reserved is what reports print where others print a detector.
const reserved = "protocol"

// CheckName returns what is wrong with the name of a reading, feature, rule, member or setting by its grammar (PR-45),
// nil if nothing is. It is that of an id, without @, and with capital letters.
func CheckName(name string) error {
	return grammar{what: "name", letters: lower + strings.ToUpper(lower), says: "letters"}.check(name)
}

const lower = "abcdefghijklmnopqrstuvwxyz"

// grammar is how a name is written.
type grammar struct{ what, prefix, letters, says string }

func (g grammar) check(name string) error {
	text := strings.TrimPrefix(name, g.prefix)
	after := g.letters + "0123456789-_"
	at := strings.IndexFunc(text, func(r rune) bool { return !strings.ContainsRune(after, r) })
	why := ""
	switch {
	case text == "":
		why = "it is empty"
	case at >= 0:
		r, _ := utf8.DecodeRuneInString(text[at:])
		why = fmt.Sprintf("%s is not allowed", character(r))
	case !strings.ContainsRune(g.letters, rune(text[0])):
		why = "it does not begin with a letter"
	case len(name) > MostID:
		why = fmt.Sprintf("it has %d characters", len(name))
	default:
		return nil
	}
	return fmt.Errorf("%s is no %s: %s; want %s, digits, - and _, beginning with a letter, at most %d characters (PR-45)",
		shown(name), g.what, why, g.says, MostID)
}

// character names a character so that it is seen, whatever it looks like.
func character(r rune) string {
	if r < utf8.RuneSelf && strconv.IsPrint(r) {
		return strconv.QuoteRuneToASCII(r)
	}
	return fmt.Sprintf("%U", r)
}

// mostShown bounds how much of a wrong name a message shows, in bytes.
const mostShown = 100

// shown returns a wrong name in quotes and ASCII.
func shown(name string) string {
	if len(name) <= mostShown {
		return strconv.QuoteToASCII(name)
	}
	return strconv.QuoteToASCII(name[:mostShown]) + "…"
}
