package tracegen

import (
	"math"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// output returns what one iteration of an agent printed: what an agent of the cases did, with a detail changed or not,
// several such, words of all of them, or anything.
func (d *draft) output() string {
	printed := fromCases().outputs[d.reading]
	switch d.below(8) {
	case 0:
		return d.beginning()
	case 1:
		return d.soup(printed)
	case 2:
		between := pick(d.dice, []string{"\n", " ", ". ", "", "\u2028", "\r"})
		return d.changed(pick(d.dice, printed)) + between + pick(d.dice, printed)
	default:
		return d.changed(pick(d.dice, printed))
	}
}

// changed returns the text as it is or with another word, blank or end.
func (d *draft) changed(text string) string {
	words := strings.Split(text, " ")
	switch d.below(8) {
	case 0:
		words[d.below(min(len(words), maxSides))] = d.word(fromCases().outputs[d.reading])
		return strings.Join(words, " ")
	case 1:
		return strings.Replace(text, " ", pick(d.dice, blankSigns), 1+d.below(4))
	case 2:
		return text + pick(d.dice, oddEnds)
	case 3:
		return text[:len(text)-len(words[len(words)-1])] // it ends too early
	default:
		return text
	}
}

// soup is made of the words of several outputs.
func (d dice) soup(printed []string) string {
	var b strings.Builder
	for range d.between(1, 10) {
		b.WriteString(d.word(printed))
		if d.maybe() {
			b.WriteString(" ")
		}
	}
	return b.String()
}

// word returns a word of one of the texts.
func (d dice) word(of []string) string {
	words := strings.Split(pick(d, of), " ")
	return words[d.below(min(len(words), maxSides))]
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
func (d *draft) nearOutput(text string) string {
	switch d.below(4) {
	case 0:
		return text + pick(d.dice, oddEnds)
	case 1:
		return strings.Replace(text, " ", pick(d.dice, blankSigns), 1)
	case 2:
		return strings.ToUpper(text)
	default:
		return text + "\n" + d.output()
	}
}

// blankSigns are blanks and ends of lines of every kind, and characters that are neither though some language takes
// them for one. oddEnds are what a word may go on with.
var (
	blankSigns = []string{
		"", "  ", "\t", "\u00a0", "\ufeff", "\u3000", "\u2003", "\u1680", "\u202f", "\u205f", "\v", "\f", "\u2000", "\u200a",
		"\n", "\r", "\r\n", "\u2028", "\u2029", "\u0085", "\u180e", "\u200b", "\x1c", "\x00", " \n ",
	}
	oddEnds = []string{
		" ", "x", ".", "!", "s", "_", "É", "\n", ")", "ſ", "\u212a", "😀", ":", "-", ",", "'", "0", "\u0301", "²", "\u2028",
	}
)

// similarLengths are lengths of texts, in code points, at which a share of the text is a whole number of characters, or
// at which a comparison 64 bits at a time begins its next word.
var similarLengths = []int{10, 20, 5, 0, 2, 1, 40, 3, 63, 64, 65, 100, 127, 128, 130, 200}

// What the texts of a trace may cost a port that compares them with the textbook's table, in fields of all tables. A
// port in a slow language fills some millions in a second, and a run plays some hundreds of traces.
const (
	usualTables = 2500
	fewOutputs  = 3 // that may be of any length, in one trace of so many:
	longOutputs = 48
)

// similarCommon bounds the lengths of the outputs by how many are compared.
func (d *draft) similarCommon() {
	if d.oneIn(longOutputs) {
		d.most, d.longest = min(d.most, fewOutputs), slices.Max(similarLengths)
		return
	}
	compared := max(1, d.most) * min(slices.Max(d.marks), max(1, d.most))
	d.longest = max(2, int(math.Sqrt(usualTables/float64(compared))))
}

var (
	fewSigns  = []rune("ab ")
	manySigns = []rune("abcdefgh Éé\u0301😀\U0001f469\u200dΣσ\n")
)

// similarTemplate is of outputs for a detector that compares them as texts; near ones are edited in a few places.
func (d *draft) similarTemplate() template {
	text := d.similarText(d.longest)
	return func(d *draft, near bool) {
		output := string(text)
		if near || d.oneIn(4) {
			output = d.edited(text)
		}
		d.emitOutput(output)
	}
}

// similarText returns a text of few different characters, so that many a subsequence is common.
func (d dice) similarText(longest int) []rune {
	length := pick(d, lists.Filter(similarLengths, func(n int) bool { return n <= longest }))
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
