package report

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible returns the text with everything that nobody would see, or that a terminal or a parser would obey, written
// as an escape: control characters, direction marks, odd spaces, bytes that are no UTF-8. Line ends stay. What a port
// says gets into reports, and a port may say anything.
func visible(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, isHidden) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case isHidden(r):
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		default:
			b.WriteRune(r)
		}
		text = text[size:]
	}
	return b.String()
}

func isHidden(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }

// oneLine returns the text in one line, all of it visible: a line end becomes \n.
func oneLine(text string) string { return strings.ReplaceAll(visible(text), "\n", `\n`) }

// cut shortens a text to that many characters.
func cut(text string, limit int) string {
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return string(runes[:limit-1]) + "…"
}

// context is how many equal characters are left standing before the first that differs.
const context = 20

// excerpts cuts two texts so that what differs stays in sight: a long beginning that they share gives way.
func excerpts(a, b string, limit int) (string, string) {
	x, y := []rune(a), []rune(b)
	if len(x) <= limit && len(y) <= limit {
		return a, b
	}
	same := 0
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	if start := same - context; start > 0 {
		a, b = "…"+string(x[start:]), "…"+string(y[start:])
	}
	return cut(a, limit), cut(b, limit)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// count returns a number with its noun.
func count(n int, one, many string) string { return fmt.Sprintf("%d %s", n, plural(n, one, many)) }

// wrap splits a text into lines of at most that many characters, between words where it can.
func wrap(text string, limit int) []string {
	var lines []string
	var line []rune
	for _, word := range strings.Fields(text) {
		w := []rune(word)
		if len(line) > 0 && len(line)+1+len(w) > limit {
			lines, line = append(lines, string(line)), nil
		}
		if len(line) > 0 {
			line = append(line, ' ')
		}
		line = append(line, w...)
		for len(line) > limit {
			lines, line = append(lines, string(line[:limit])), line[limit:]
		}
	}
	if len(line) > 0 {
		lines = append(lines, string(line))
	}
	return lines
}
