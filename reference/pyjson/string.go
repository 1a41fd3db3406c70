package pyjson

import (
	"unicode/utf16"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// shortEscapes are the characters that Python escapes with one letter.
var shortEscapes = [asciiEnd]byte{
	'"': '"', '\\': '\\', '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't',
}

const asciiEnd = 0x80 // the first character that is not ASCII

// appendString writes s in quotes. Printable ASCII stands for itself; everything else, DEL included, is escaped, and a
// character beyond U+FFFF as its two surrogates.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	plain := 0 // where the text begins that is not written yet and stands for itself
	for i, width := 0, 0; i < len(s); i += width {
		var r rune
		r, width = utf8.DecodeRuneInString(s[i:])
		if isPlain(r) {
			continue
		}
		b = append(b, s[plain:i]...)
		plain = i + width
		switch {
		case r < asciiEnd && shortEscapes[r] != 0:
			b = append(b, '\\', shortEscapes[r])
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			b = appendEscape(appendEscape(b, high), low)
		default:
			b = appendEscape(b, r)
		}
	}
	return append(append(b, s[plain:]...), '"')
}

// isPlain reports whether a character stands for itself.
func isPlain(r rune) bool { return ' ' <= r && r <= '~' && r != '"' && r != '\\' }

// appendEscape writes one UTF-16 unit as \uXXXX in lower case.
func appendEscape(b []byte, unit rune) []byte {
	return append(b, '\\', 'u',
		hexDigits[unit>>12&0xF], hexDigits[unit>>8&0xF], hexDigits[unit>>4&0xF], hexDigits[unit&0xF])
}
