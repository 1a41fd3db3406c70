package wording

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Visible writes as an escape every character that nobody would see, or that a terminal or a parser would obey: control
// characters, direction marks, odd spaces, bytes that are not UTF-8. Line ends stay.
func Visible(text string) string {
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

// Line returns the text in one line, all of it visible: a line end becomes \n.
func Line(text string) string { return strings.ReplaceAll(Visible(text), "\n", `\n`) }

// VisibleJSON returns a text of JSON with the same meaning, in which the characters that [Visible] escapes are written
// as JSON's escapes: it may be read in a terminal, too.
func VisibleJSON(text []byte) []byte {
	isOdd := func(r rune) bool { return r > '~' && isHidden(r) } // those below are escaped in any JSON
	if bytes.IndexFunc(text, isOdd) < 0 {
		return text
	}
	var b []byte
	for _, r := range string(text) {
		switch {
		case !isOdd(r):
			b = utf8.AppendRune(b, r)
		case r < 0x10000:
			b = fmt.Appendf(b, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			b = fmt.Appendf(b, `\u%04x\u%04x`, high, low)
		}
	}
	return b
}

// Cut shortens a text to at most this many characters, but leaves at least one; the last of them then marks the cut.
func Cut(text string, limit int) string {
	limit = max(limit, 1)
	runes := []rune(text)
	if len(runes) <= limit {
		return text
	}
	return string(runes[:limit-1]) + "…"
}

// Shortened cuts a text to at most this many characters, and then says how many it had.
func Shortened(text string, most int) string {
	if len(text) <= most {
		return text
	}
	n := 0
	for i := range text {
		if n == most {
			return fmt.Sprintf("%s… (%d characters)", text[:i], utf8.RuneCountInString(text))
		}
		n++
	}
	return text
}

// Wrap splits a text into lines of at most this many characters, between words if possible, else behind a slash.
func Wrap(text string, limit int) []string { return Hang(text, limit, limit) }

// Hang is [Wrap] for a text whose first line may have another length than those below it.
func Hang(text string, limit, below int) []string {
	var lines []string
	var line []rune
	end := func(at int) { lines, line, limit = append(lines, string(line[:at])), line[at:], below }
	for _, word := range strings.Fields(text) {
		w := []rune(word)
		if len(line) > 0 && len(line)+1+len(w) > limit {
			end(len(line))
		}
		if len(line) > 0 {
			line = append(line, ' ')
		}
		for line = append(line, w...); len(line) > limit; {
			end(whole(line[:limit]))
		}
	}
	if len(line) > 0 {
		lines = append(lines, string(line))
	}
	return lines
}

// whole returns how many characters of a broken word stay on its line: those up to the last slash, or all of them.
func whole(begin []rune) int {
	for i := len(begin) - 1; i > 0; i-- {
		if begin[i] == '/' {
			return i + 1
		}
	}
	return len(begin)
}
