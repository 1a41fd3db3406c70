package generate

import "strings"

// fill writes the output of a shape, with something unusual in about every tenth place; seldom it ends too early.
func (d dice) fill(b *strings.Builder, s shape) {
	if d.oneIn(16) {
		s = s[:d.below(len(s))]
	}
	for _, place := range s {
		if d.oneIn(8) {
			b.WriteString(pick(d, place.seldom))
		} else if len(place.usual) == 1 {
			b.WriteString(place.usual[0])
		} else {
			b.WriteString(pick(d, place.usual))
		}
	}
}

// output returns what one iteration of an agent printed: something that a rule looks for, several such, or anything.
func (d dice) output() string {
	var b strings.Builder
	switch d.below(8) {
	case 0:
		return uncut(d.beginning())
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
	return uncut(b.String())
}

// soup is made of the words of all shapes.
func (d dice) soup(b *strings.Builder) {
	for range d.between(1, 10) {
		place := pick(d, pick(d, shapes))
		if d.maybe() {
			b.WriteString(pick(d, place.usual))
		} else {
			b.WriteString(pick(d, place.seldom))
		}
		if d.maybe() {
			b.WriteString(" ")
		}
	}
}

// lowered are words whose lower case depends on more than a table of letters, or on what is next to them.
var lowered = []string{
	"ΑΣ", "Done ", "ok", " ", "Σ", "ΣΑ", "İ", "ſ", "\u212a", "ß", "É", "A\u00adΣ", "Σ.", "'Σ", "\u2028", "\t\t", "ǅ", "x", "aΣ\u0301", "Σʰ", "\u0345Σ",
	"ʰΣ", "1Σ", "Σ1", "\ufeff", "😀", "𐐀", "ΑΣΣ", "-", "\U0001d7ceΣ",
}

// ignorables are passed over where it is asked whether a word ends with a sigma: Case_Ignorable in Unicode.
var ignorables = []rune("'.:·\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a^`\u00ad\u0301ʰ\u0345\u20dd")

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

// beginning returns a text without anything to extract, often of about the length that its signature is cut at.
func (d dice) beginning() string {
	length := d.below(12)
	if d.maybe() {
		length = d.between(cutAt-6, cutAt+6)
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
		have += units(word)
	}
	return b.String()
}

// outputLetter is of outputs; near ones have another detail.
func (d *draft) outputLetter() letter {
	text := d.output()
	return func(d *draft, near bool) {
		if near {
			d.emitOutput(d.nearOutput(text))
			return
		}
		d.emitOutput(text)
	}
}

// nearOutput returns a text that differs at its end, in a word or in the case of its letters.
func (d dice) nearOutput(text string) string {
	switch d.below(4) {
	case 0:
		return uncut(text + pick(d, nothing.seldom))
	case 1:
		return uncut(strings.Replace(text, " ", pick(d, space.seldom), 1))
	case 2:
		return uncut(strings.ToUpper(text))
	default:
		return uncut(text + "\n" + d.output())
	}
}
