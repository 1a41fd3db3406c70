// Package pyjson writes JSON values as CPython's json.dumps(value, sort_keys=True) writes the values that json.loads
// returns. The Python detectors of the documents hash and compare this text (D3#implementation, D5#implementation-1).
//
// The text is JSON, but a particular one: members sorted by code point, ", " and ": " between (HI-7), everything
// outside printable ASCII escaped (HI-8), integers of any length kept, and floats as Python's repr (HI-9).
package pyjson

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/loopstone/loopstone/spec"
)

// AppendSorted appends the text of v to b and returns the extended buffer. Members come in the order of their names'
// code points at every depth, array items in their own. An absent value is written as null. A float outside the
// range of doubles is written as Infinity or -Infinity, as Python does.
func AppendSorted(b []byte, v spec.Value) []byte {
	switch v.Kind() {
	case spec.String:
		s, _ := v.Str()
		return appendString(b, s)
	case spec.Number:
		return appendNumber(b, v)
	case spec.Array:
		return appendArray(b, v.Items())
	case spec.Object:
		return appendObject(b, v.Members())
	case spec.Bool:
		return strconv.AppendBool(b, v.IsTrue()) // HI-7
	default:
		return append(b, "null"...) // HI-7
	}
}

func appendArray(b []byte, items []spec.Value) []byte { // HI-7
	b = append(b, '[')
	for i, item := range items {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = AppendSorted(b, item)
	}
	return append(b, ']')
}

func appendObject(b []byte, members []spec.Member) []byte { // HI-7
	if !slices.IsSortedFunc(members, byName) { // copies only if it must: most objects are small and many are sorted
		sorted := slices.Clone(members)
		slices.SortFunc(sorted, byName)
		members = sorted
	}
	b = append(b, '{')
	for i, m := range members {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(appendString(b, m.Name), ": "...)
		b = AppendSorted(b, m.Value)
	}
	return append(b, '}')
}

// byName orders members by the code points of their names; UTF-8 sorts by bytes as it does by code points.
func byName(a, b spec.Member) int { return strings.Compare(a.Name, b.Name) } // HI-7

// appendString writes s in quotes.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	plain := 0 // where the text begins that is not written yet and stands for itself
	for i := 0; i < len(s); {
		if isPlain(s[i]) {
			i++
			continue
		}
		r, width := utf8.DecodeRuneInString(s[i:])
		b = appendEscaped(append(b, s[plain:i]...), r)
		i += width
		plain = i
	}
	return append(append(b, s[plain:]...), '"')
}

// isPlain reports whether a byte is a character that stands for itself.
func isPlain(c byte) bool { return ' ' <= c && c <= '~' && c != '"' && c != '\\' } // HI-8

// appendEscaped writes a character that does not stand for itself: by its letter if it has one, otherwise as its one or
// two UTF-16 units.
func appendEscaped(b []byte, r rune) []byte { // HI-8
	switch r {
	case '"', '\\':
		return append(b, '\\', byte(r))
	case '\b':
		return append(b, `\b`...)
	case '\t':
		return append(b, `\t`...)
	case '\n':
		return append(b, `\n`...)
	case '\f':
		return append(b, `\f`...)
	case '\r':
		return append(b, `\r`...)
	}
	const hex = "0123456789abcdef"
	var room [2]uint16
	for _, u := range utf16.AppendRune(room[:0], r) {
		b = append(b, '\\', 'u', hex[u>>12], hex[u>>8&0xF], hex[u>>4&0xF], hex[u&0xF])
	}
	return b
}

// appendNumber writes an integer literal as it stands, because Python's integers have any length and no negative zero.
// It writes any other literal as the repr of the nearest double.
func appendNumber(b []byte, v spec.Value) []byte { // HI-9
	spelling, _ := v.Spelling()
	if spelling == "-0" {
		return append(b, '0')
	}
	if v.IsIntegerLiteral() {
		return append(b, spelling...)
	}
	f, _ := v.Float()
	return appendFloat(b, f)
}

// appendFloat writes the shortest digits that read back as f: with an exponent below 1e-4 and from 1e16 on, otherwise
// with a point.
func appendFloat(b []byte, f float64) []byte { // HI-9
	size := math.Abs(f)
	switch {
	case math.IsInf(f, 0):
		if math.Signbit(f) {
			b = append(b, '-')
		}
		return append(b, "Infinity"...)
	case size >= 1e16 || size < 1e-4 && size != 0:
		return strconv.AppendFloat(b, f, 'e', -1, 64)
	}
	start := len(b)
	b = strconv.AppendFloat(b, f, 'f', -1, 64)
	if !slices.Contains(b[start:], '.') {
		b = append(b, ".0"...)
	}
	return b
}
