package generate

import (
	"strings"
	"unicode/utf16"

	"github.com/loopstone/loopstone/spec"
)

// fill writes the output of a shape, with something unusual in about every tenth place; seldom it ends too early.
func (d dice) fill(b *strings.Builder, s shape) {
	if d.oneIn(16) {
		s = s[:d.below(len(s))]
	}
	for _, place := range s {
		switch {
		case d.oneIn(8):
			b.WriteString(pick(d, place.seldom))
		case len(place.usual) == 1:
			b.WriteString(place.usual[0])
		default:
			b.WriteString(pick(d, place.usual))
		}
	}
}

// output returns what one iteration of an agent printed: something that a rule looks for, several such, or anything.
func (d dice) output() string {
	var b strings.Builder
	switch d.below(8) {
	case 0:
		return d.beginning()
	case 1:
		d.soup(&b)
	case 2:
		for range d.between(2, 3) {
			d.fill(&b, pick(d, shapes))
			b.WriteString(pick(d, []string{"\n", " ", ". ", "", "\u2028", "\r"}))
		}
	default:
		d.fill(&b, pick(d, shapes))
	}
	return b.String()
}

// soup is made of the words of all shapes.
func (d dice) soup(b *strings.Builder) {
	for range d.between(1, 10) {
		place := pick(d, pick(d, shapes))
		words := place.seldom
		if d.maybe() {
			words = place.usual
		}
		b.WriteString(pick(d, words))
		if d.maybe() {
			b.WriteString(" ")
		}
	}
}

// lowered are words whose lower case depends on more than a table of letters, or on what is next to them.
var lowered = []string{
	"ΑΣ", "Done ", "ok", " ", "Σ", "ΣΑ", "İ", "ſ", "\u212a", "ß", "É", "A\u00adΣ", "Σ.", "'Σ", "\u2028", "\t\t", "ǅ",
	"x", "aΣ\u0301", "Σʰ", "\u0345Σ",
	"ʰΣ", "1Σ", "Σ1", "\ufeff", "😀", "𐐀", "ΑΣΣ", "-", "\U0001d7ceΣ",
}

// ignorables are passed over where it is asked whether a word ends with a sigma: Case_Ignorable in Unicode.
var ignorables = []rune(
	"'.:·\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a" +
		"^`\u00ad\u0301ʰ\u0345\u20dd",
)

// sigma returns a capital sigma with something before or behind it that decides on its lower case.
func (d dice) sigma() string {
	sign := pick(d, ignorables)
	if d.oneIn(4) {
		sign = d.rune()
	}
	if d.maybe() {
		return " A" + string(sign) + "Σ"
	}
	return "AΣ" + string(sign) + pick(d, []string{"a", " ", "1"})
}

// beginning returns a text without anything to extract, often of about the length that its signature is cut at:
// 50 UTF-16 units, which may part a surrogate pair.
func (d dice) beginning() string {
	length := d.below(12)
	if d.maybe() {
		length = d.between(44, 56)
	}
	var b strings.Builder
	for have := 0; have < length; {
		word := pick(d, lowered)
		switch {
		case d.oneIn(16):
			word = string(d.rune())
		case d.oneIn(8):
			word = d.sigma()
		}
		b.WriteString(word)
		if have += len(utf16.Encode([]rune(word))); have == 49 {
			b.WriteString("😀") // the cut parts it
		}
	}
	return b.String()
}

// outputTemplate is of outputs; near ones have another detail.
func (d *draft) outputTemplate() template {
	text := d.output()
	return func(d *draft, near bool) {
		text := text
		if near {
			text = d.nearOutput(text)
		}
		d.emitOutput(text)
	}
}

// nearOutput returns a text that differs at its end, in a word or in the case of its letters.
func (d dice) nearOutput(text string) string {
	switch d.below(4) {
	case 0:
		return text + pick(d, nothing.seldom)
	case 1:
		return strings.Replace(text, " ", pick(d, space.seldom), 1)
	case 2:
		return strings.ToUpper(text)
	default:
		return text + "\n" + d.output()
	}
}

// slot is one place of a shape: what usually stands there, and what stands there seldom.
type slot struct{ usual, seldom []string }

// shape is an output that a rule of a signature looks for, place by place.
type shape []slot

// Blanks and ends of lines of every kind, and characters that are neither though some language takes them for one.
var (
	space = slot{[]string{" "}, []string{
		"", "  ", "\t", "\u00a0", "\ufeff", "\u3000", "\u2003", "\u1680", "\u202f", "\u205f", "\v", "\f", "\u2000", "\u200a",
		"\n", "\r", "\r\n", "\u2028", "\u2029", "\u0085", "\u180e", "\u200b", "\x1c", "\x00", " \n ",
	}}
	nothing = slot{[]string{""}, []string{
		" ", "x", ".", "!", "s", "_", "É", "\n", ")", "ſ", "\u212a", "😀", ":", "-", ",", "'", "0", "\u0301", "²", "\u2028",
	}}
)

var (
	errorTypeNames = []string{"TypeError", "E", "format", "Type_1", "attat", "É", "a.b", "datat", "T2"}
	errorPlaces    = []string{
		"auth.ts:45", "a.py", "auth.ts:45:7", "f:1:2:3", ":1", ":1:2", "at", "é.ts:9", "x:", "a-b", "line", "1", "😀",
		"(f.ts:4)", "a:٣",
	}
	messageWords = []string{
		"null", "at", "'name'", "undefined,", "...", "property", "-", "of", "(x)", "É", "\"y\".", "\u00a0", "at:", "AT",
		"_", "٣", "😀",
	}
	testNames = []string{
		"auth", "login test", "test", "user login", "Test", "tests", "", "a-b", "é", "x.ts:1", "test a test", ".", "teſt",
		"😀", "K test",
	}
	files = []string{
		"auth.ts", "a.py", "src/x.go", "b.JS", "a.tsx", "a.json", ".ts", "a.ts:45", "a.ts,", "a.ts.go", "a.tsé", "é.ts",
		"x.tsy.py:3",
		"a.ts_", "(b.go)", "c", "a.ts\u0301", "a.pY", "/.js", "..ts", "a.tſ",
	}
	phraseWords = []string{
		"null", "check", "in-place", "for", "a--b", "-c", "d-", "to", "From", "é", "x_1", "with", "y.", "on", "٣", "at",
		"(z)", "of", "😀", "F\u0301",
	}
	verbs = []string{
		"added", "removed", "fixed", "updated", "changed", "refactored", "Added", "readded", "addeds", "FIXED", "modified",
	}
	changeVerbs = []string{"Fixed", "Modified", "Changed", "Updated", "fixed", "UPDATED", "prefixed", "Fixes", "ﬁxed"}
	failVerbs   = []string{
		"failed", "failing", "FAILED", "fail", "failure", "Fail:", "unfailed", "faıled", "failed\u0301",
	}
	queries = []string{"OAuth2 Token", "a", "", "ΑΣ b", "İx", "it", "a\u00a0\u2028b", "ΟΔΥΣΣΕΥΣ", "x y", "😀", "Σ"}
)

var (
	errorWords = slot{[]string{"Error", "Error", "error"}, []string{
		"ERROR", "errorerror", "TypeError", "Errors", "Err", "ERRoR", "Ěrror",
	}}
	colon         = slot{[]string{":"}, []string{"", "::", " :", ";", "："}}
	dash          = slot{[]string{"-"}, []string{"--", "", "–", "at", "- -", "-x"}}
	ats           = slot{[]string{"at"}, []string{"AT", "At", "a", "@", "at at", "format", "att", "ät"}}
	quote         = slot{[]string{"'"}, []string{"", "''", "\"", "’"}}
	comma         = slot{[]string{", "}, []string{",", ",,", ";", " , ", ""}}
	searchedWords = slot{[]string{"Searched"}, []string{"searched", "SEARCHED", "Researched", "Search", "Searcheds"}}
	counts        = slot{[]string{"2", "1", "10"}, []string{
		"0", "01", "x2", "2.5", "12345678901234567890", "٣", "-3", "3x", "", "1.", "²2",
	}}
	testWords = slot{[]string{"tests", "test"}, []string{"", "Tests", "TEST", "testing", "testss", "test s", "teſts"}}
)

func usually(words []string) slot { return slot{words[:min(3, len(words))], words} }

// shapes are what the rules of both readings look for.
var shapes = []shape{
	{
		errorWords, colon, space, usually(errorTypeNames), space, dash, space, usually(messageWords),
		space, usually(messageWords),
		space, ats, space, usually(errorPlaces), nothing,
	},
	{errorWords, colon, space, usually(errorTypeNames), space, ats, space, usually(errorPlaces), nothing},
	{counts, space, testWords, space, usually(failVerbs), nothing},
	{
		counts, space, usually(failVerbs), colon, space, usually(files), space, dash, space,
		usually(testNames), comma, usually(testNames), nothing,
	},
	{
		counts, space, testWords, space, usually(failVerbs), space, dash, space,
		usually(testNames), comma, usually(testNames),
	},
	{searchedWords, {[]string{" for ", " "}, []string{"", "\n", "'", " '' "}}, quote, usually(queries), quote, nothing},
	{
		usually(changeVerbs), space, usually(files),
		{[]string{" - ", " "}, []string{"\n", "", ", ", "\u2028"}},
		usually(verbs),
		space, usually(phraseWords), space, usually(phraseWords), nothing,
	},
	{usually(changeVerbs), space, usually(files), nothing},
	{
		usually(failVerbs), colon, space, usually(testNames), space, usually(failVerbs), nothing, colon, space,
		usually(files),
	},
}

// similarLengths are lengths of texts, in code points, at which a share of the text is a whole number of characters, or
// at which a comparison 64 bits at a time begins its next word.
var similarLengths = []int{10, 20, 5, 0, 2, 1, 40, 3, 63, 64, 65, 100, 127, 128, 130, 200}

var (
	fewSigns  = []rune("ab ")
	manySigns = []rune("abcdefgh Éé\u0301😀\U0001f469\u200dΣσ\n")
)

// similarTemplate is of outputs for a detector that compares them as texts; near ones are edited in a few places.
func (d *draft) similarTemplate() template {
	text := d.similarText()
	return func(d *draft, near bool) {
		output := string(text)
		if near || d.oneIn(4) {
			output = d.edited(text)
		}
		d.emitOutput(output)
	}
}

// similarText returns a text of few different characters, so that many a subsequence is common.
func (d dice) similarText() []rune {
	length := pick(d, similarLengths)
	if d.oneIn(16) {
		return []rune(d.runes(min(length, 40)))
	}
	signs := fewSigns
	if d.maybe() {
		signs = manySigns
	}
	block := make([]rune, min(length, 12)) // repeated, for a draw per character would take long
	for i := range block {
		block[i] = pick(d, signs)
	}
	text := make([]rune, length)
	for i := range text {
		text[i] = block[i%len(block)]
	}
	return text
}

// edited returns the text after a few insertions, removals and replacements; they keep, for a text of a length such as
// 20, the similarity close to a round percentage.
func (d dice) edited(text []rune) string {
	text = append(make([]rune, 0, len(text)+8), text...)
	for range d.edits(len(text)) {
		at := d.below(min(len(text)+1, maxSides))
		sign := pick(d, manySigns)
		switch {
		case at == len(text) || d.oneIn(4):
			text = append(text[:at], append([]rune{sign}, text[at:]...)...)
		case d.maybe():
			text = append(text[:at], text[at+1:]...)
		default:
			text[at] = sign
		}
	}
	return string(text)
}

// edits returns how many changes to make: about as many as a tenth of the length, or one.
func (d dice) edits(length int) int {
	if d.maybe() {
		return 1
	}
	return max(min(length/10, 24)+d.below(3)-1, 1)
}

func (d *draft) emitOutput(text string) {
	d.emit(spec.ObjectValue(is(spec.Output), says("text", text)))
}
