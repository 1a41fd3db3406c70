package generate

import "github.com/loopstone/loopstone/spec"

// similarLengths are lengths of texts, in code points, at which a share of the text is a whole number of characters, or
// at which a comparison 64 bits at a time begins its next word.
var similarLengths = []int{10, 20, 5, 0, 2, 1, 40, 3, 63, 64, 65, 100, 127, 128, 130, 200}

var (
	similarLetters = []rune("ab ")
	similarSigns   = []rune("abcdefgh Éé\u0301😀\U0001f469\u200dΣσ\n")
)

// similarLetter is of outputs for a detector that compares them as texts; near ones are edited in a few places.
func (d *draft) similarLetter() letter {
	text := d.similarText()
	return func(d *draft, near bool) {
		if near || d.oneIn(4) {
			d.emitOutput(d.edited(text))
			return
		}
		d.emitOutput(string(text))
	}
}

// similarText returns a text of few different characters, so that many a subsequence is common.
func (d dice) similarText() []rune {
	length := pick(d, similarLengths)
	if d.oneIn(16) {
		return []rune(d.runes(min(length, 40)))
	}
	signs := similarLetters
	if d.maybe() {
		signs = similarSigns
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
		sign := pick(d, similarSigns)
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

var outputType = spec.StringValue(string(spec.Output))

func (d *draft) emitOutput(text string) {
	d.emit(spec.ObjectValue(
		spec.Member{Name: "type", Value: outputType}, spec.Member{Name: "text", Value: spec.StringValue(text)}))
}
