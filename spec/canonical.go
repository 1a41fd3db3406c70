package spec

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"
)

// Canonical returns v as RFC 8785 (JCS) writes it: members sorted, numbers as doubles in their shortest spelling, so
// that 1 and 1.0 are the same text. It assumes that the numbers of v lie within the range of doubles.
func (v Value) Canonical() string { return string(v.AppendCanonical(make([]byte, 0, usualBytes))) }

// usualBytes holds the arguments of most tool calls.
const usualBytes = 256

// AppendCanonical appends what [Value.Canonical] returns.
func (v Value) AppendCanonical(b []byte) []byte { return v.write(b, true) }

// exactDigits is how many digits an integer may have to be sure that its double is spelled by the same digits.
const exactDigits = 15

// appendCanonicalNumber appends a number as JavaScript prints the double.
func appendCanonicalNumber(b []byte, v Value) []byte {
	if v.IsIntegerLiteral() && len(v.text) <= exactDigits && v.text != "-0" {
		return append(b, v.text...)
	}
	f, _ := v.Float()
	if f == 0 {
		return append(b, '0') // which has no sign here
	}
	f = max(min(f, math.MaxFloat64), -math.MaxFloat64)
	return append(b, jsontext.Float(f).String()...)
}

// sortedMembers returns the members in the order of their names' UTF-16 code units; the same slice if it has this
// order.
func sortedMembers(members []Member) []Member {
	byName := func(a, b Member) int { return compareUTF16(a.Name, b.Name) }
	if slices.IsSortedFunc(members, byName) {
		return members
	}
	sorted := slices.Clone(members)
	slices.SortFunc(sorted, byName)
	return sorted
}

// compareUTF16 compares by UTF-16 code units.
func compareUTF16(a, b string) int {
	if isASCII(a) && isASCII(b) { // as most names are
		return strings.Compare(a, b)
	}
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}
