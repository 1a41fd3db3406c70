package tracegen

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/loopstone/loopstone/spec"
)

// keys are names of arguments that no rule knows. Some are in another order by code points than by UTF-16 units.
var keys = []string{
	"timeout", "n", "x", "y", "é", "\uff5e", "😀", "\U00010000", "", "Path", "\"", "\x7f", "a\\", "__proto__",
	"constructor", "10", "9", "\n",
}

var constants = []string{`null`, `true`, `false`, `[]`, `{}`, `""`}

// value returns any value for the arguments of a call, at most depth objects and arrays deep.
func (d *draft) value(depth int) spec.Value {
	kinds := 6
	if depth == 0 {
		kinds = 4
	}
	switch d.below(kinds) {
	case 0, 1:
		return spec.StringValue(d.text())
	case 2:
		return pickJSON(d.dice, d.numbers)
	case 3:
		return pickJSON(d.dice, constants)
	case 4:
		return spec.ObjectValue(d.members(nil, d.between(0, 3), depth-1)...)
	default:
		items := make([]spec.Value, d.between(0, 3))
		for i := range items {
			items[i] = d.value(depth - 1)
		}
		return spec.ArrayValue(items...)
	}
}

// members appends up to n arguments whose names are not there yet.
func (d *draft) members(list []spec.Member, n, depth int) []spec.Member {
	for range n {
		name := pick(d.dice, keys)
		if !hasMember(list, name) {
			list = append(list, spec.Member{Name: name, Value: d.value(depth)})
		}
	}
	return list
}

func hasMember(list []spec.Member, name string) bool {
	return slices.ContainsFunc(list, func(m spec.Member) bool { return m.Name == name })
}

// shuffled returns an equal value whose members stand in another order, at every depth.
func (d dice) shuffled(v spec.Value) spec.Value {
	switch {
	case len(v.Items()) > 0:
		items := slices.Clone(v.Items())
		for i := range items {
			items[i] = d.shuffled(items[i])
		}
		return spec.ArrayValue(items...)
	case len(v.Members()) > 0:
		members := slices.Clone(v.Members())
		for i := range members {
			members[i].Value = d.shuffled(members[i].Value)
			j := d.below(i + 1)
			members[i], members[j] = members[j], members[i]
		}
		return spec.ObjectValue(members...)
	default:
		return v
	}
}

// Numbers in the arguments of calls, by who can tell them apart.
var (
	// everyNumber means the same to a port of every language, and differs from every other one of the list, but for -0
	// and 0.10.
	everyNumber = []string{
		"1", "0", "2", "-1", "-0", "0.5", "0.1", "0.10", "-2.5", "100", "1000000", "123456.789",
		"0.0001", "0.00001", "9007199254740991", "-9007199254740991", "0.10000000000000002", "123456.78900000002",
	}

	// doubles need a port that reads every number as one, in the shortest spelling of RFC 8785.
	doubles = []string{
		"1.0", "1e0", "1E0", "10e-1", "-0.0", "0.0", "1e2", "100.0", "1E+2", "1e21", "1e20", "1e-7", "1e-6",
		"9007199254740992", "9007199254740993", "12345678901234567890", "1e308", "5e-324", "333333333.33333329", "4.50",
		"2e-3",
		"1.7976931348623157e308", "0.000000000000000000000000001",
	}

	// pythons need a port that tells 1 from 1.0 and has integers of any length.
	pythons = []string{
		"1.0", "1e0", "1.00", "-0.0", "0.0", "100.0", "1e2", "1e5", "1e15", "1e16", "9999999999999998.0",
		"1e22",
		"1e-4", "1e-5", "15e-8", "1E-7", "9007199254740993", "123456789012345678901234567890",
		"-1234567890123456789012345678901234567890", "5e-324", "0.1e1",
	}

	// infinities are beyond a double; the detector history alone says what becomes of them.
	infinities = []string{"1e400", "-1e400", "2E308"}

	times = []string{"0", "1", "5", "1000", "1700000000000", "1700000000000.25", "0.5", "12.25", "1e3", "-1", "9e15"}
)

func (d *draft) upTo(n int) spec.Value { return spec.IntValue(d.between(1, n)) }

// someOf draws a list of some of the words, in their order or not: mostly of one that the port knows.
func (d *draft) someOf(all ...string) spec.Value {
	var known []string
	for _, word := range all {
		if _, isRule := spec.RuleOf(spec.VerdictKind(word)); !isRule || d.offer.HasRule(spec.VerdictKind(word)) {
			known = append(known, word)
		}
	}
	var list []string
	for range d.between(1, 3) {
		list = append(list, pick(d.dice, known))
	}
	if d.oneIn(16) {
		list = nil
	}
	return spec.StringsValue(list)
}

// plainTexts are what most texts are: short, and the same again and again.
var plainTexts = []string{"a", "b", "a.py", "src/a.ts", "b.go", "x y", "null", "1", "1.0", "true", "A", ""}

// trickyTexts are where languages differ: in normalization, escaping, case, ordering, white space, and in what they put
// in the place of a pattern.
var trickyTexts = []string{
	"é", "e\u0301", "😀", "\uff5e", "\U00010000", "\x7f", "\x00", "\x1f", "\n", "\r\n", "\t", "\b\f", "\u0085", "\u2028",
	"\"", "~", "\\", "\\n", "\\u0041", "'", "/", "<>&", "{}", "{tool}", "{N}", "{count}", "$&", "$1", "%s", "%d", "Σ",
	"ΑΣ", "İ", "ı", "ſ",
	"\u212a", "ß", "ǅ", "\ufeff", "\u00a0", "\ufffd", "\U000e0100", " ", " a", "a ", "a  b", "0", "-0", "1e5",
	"constructor", "__proto__", "toString", "undefined", "NaN", "[]", "None",
}

// longStart begins the long texts: who compares or hashes only the beginning of a text takes them for equal.
var longStart = strings.Repeat("0123456789abcdef", 4)

// text returns any text.
func (d dice) text() string {
	switch {
	case d.maybe():
		return pick(d, plainTexts)
	case d.maybe():
		return pick(d, trickyTexts)
	case d.oneIn(4):
		return longStart + pick(d, plainTexts)
	default:
		return d.runes(d.between(1, 6))
	}
}

// runes returns n characters from all over Unicode.
func (d dice) runes(n int) string {
	var b strings.Builder
	for range n {
		b.WriteRune(d.rune())
	}
	return b.String()
}

// asciiTexts are those for places where a port may write other characters as it likes.
var asciiTexts = []string{
	"a", "b", "", "it's", `say "x"`, `it's "x"`, `back\slash`, "two\nlines", "tab\tand\rreturn", "{}",
	"%s", "a b", "~!@#$%^&*()",
}

// ascii returns a text of printable ASCII, tabs and ends of lines.
func (d dice) ascii() string {
	if d.oneIn(8) {
		return longStart + strings.Repeat("x", d.between(30, 40))
	}
	return pick(d, asciiTexts)
}

// unicode14 lists the ranges of code points that texts may have: assigned in Unicode 14, neither surrogate nor private
// use, and without U+0295 and U+1171E, whose properties later versions changed. Go's own tables are of a later version.
//
//go:embed unicode14.txt
var unicode14 string

// runeRange is a range of code points, both ends included.
type runeRange struct{ first, last rune }

// runeRanges returns the ranges in ascending order. Drawing a range before a code point gives every script its share:
// by code points, three texts in four would be Chinese.
var runeRanges = sync.OnceValue(func() []runeRange {
	var ranges []runeRange
	for _, field := range strings.Fields(unicode14) {
		var r runeRange
		if n, _ := fmt.Sscanf(field, "%x-%x", &r.first, &r.last); n < 2 {
			r.last = r.first
		}
		ranges = append(ranges, r)
	}
	return ranges
})

// rune returns a character of the specification's Unicode.
func (d dice) rune() rune {
	r := pick(d, runeRanges())
	size := int(r.last-r.first) + 1
	if size <= maxSides {
		return r.first + rune(d.below(size))
	}
	offset := d.below(size/maxSides)*maxSides + d.below(maxSides)
	return r.first + rune(offset)
}
