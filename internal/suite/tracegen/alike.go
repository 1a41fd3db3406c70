package tracegen

import (
	"slices"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// mostBetween is how many events there are at most from one that is alike to the next; on average, a bit more than half
// as many: one event in 16. It is drawn once for all of them, for a draw an event would cost more.
const mostBetween = 26

// fromAlike returns how many events after one that is alike the next one is. It shrinks to many.
func (d *draft) fromAlike() int { return mostBetween - d.below(mostBetween) }

// alike returns an event in which one value is another one that a port may take for the same. An event of a template
// has mostly been there before, so the trace then has both.
func (d *draft) alike(event spec.Value) spec.Value {
	members := event.Members()[1:] // behind its type
	if len(members) == 0 {
		return event
	}
	switch m := pick(d.dice, members); m.Value.Kind() {
	case spec.String:
		if m.Name == "role" || m.Name == "channel" {
			return event
		}
		if m.Name == "tool" && d.thoughtful() {
			m.Name = "thought"
		}
		return event.With(m.Name, spec.StringValue(d.alikeText(m.Value.Text())))
	case spec.Array, spec.Object:
		return event.With(m.Name, d.alikeWithin(m.Value))
	default:
		return event
	}
}

// thoughtful reports whether a call gets a thought in the place of another tool.
func (d *draft) thoughtful() bool {
	return d.ID.Row() == spec.Composed && d.offer.Takes(string(spec.Reply)) && d.maybe()
}

// likeTexts are ways to write a text in which only few ports see another one.
var likeTexts = []func(string) string{
	func(s string) string { return s + " " },
	otherCase,
	func(s string) string { return replacedOr(s, " ", "  ", " "+s) },
	nextDigit,
	func(s string) string { return replacedOr(s, "é", "e\u0301", s+"\u0301") },
	func(s string) string { return replacedOr(s, "\n", "\r\n", s+"\n") },
	func(s string) string { return s + "\x00" },
	func(s string) string { return longStart + s },
	func(s string) string { return replacedOr(s, " ", "\u00a0", "\ufeff"+s) },
	func(s string) string { return replacedOr(s, "Aa", "BB", s+"Aa") },
}

func (d dice) alikeText(text string) string { return pick(d, likeTexts)(text) }

// replacedOr replaces each old text within a text; if there is none, it returns the other text.
func replacedOr(text, old, replacement, other string) string {
	if !strings.Contains(text, old) {
		return other
	}
	return strings.ReplaceAll(text, old, replacement)
}

// otherCase turns the first ASCII letter into the other case.
func otherCase(text string) string {
	const difference = 'a' - 'A'
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z':
			return text[:i] + string(rune(c-difference)) + text[i+1:]
		case 'A' <= c && c <= 'Z':
			return text[:i] + string(rune(c+difference)) + text[i+1:]
		}
	}
	return text
}

// nextDigit replaces the first digit by another one, or appends one.
func nextDigit(text string) string {
	i := strings.IndexAny(text, "0123456789")
	if i < 0 {
		return text + "1"
	}
	return text[:i] + string('0'+(text[i]-'0'+1)%10) + text[i+1:]
}

// alikeWithin returns an array or object with another order, another member or item, or one of another value.
func (d *draft) alikeWithin(v spec.Value) spec.Value {
	if v.Kind() == spec.Array {
		return d.alikeItems(v.Items())
	}
	members := slices.Clone(v.Members())
	if len(members) == 0 {
		return v.With(pick(d.dice, keys), pickJSON(d.dice, constants))
	}
	i := d.below(len(members))
	switch d.below(6) {
	case 0:
		return v.With(members[i].Name, d.alikeValue(members[i].Value))
	case 1:
		return v.Without(members[i].Name)
	case 2:
		return v.With(pick(d.dice, keys), pickJSON(d.dice, constants))
	case 3:
		slices.Reverse(members)
		return spec.ObjectValue(members...)
	case 4:
		name := otherCase(members[i].Name)
		return v.Without(members[i].Name).With(name, members[i].Value)
	default:
		return v.With(members[i].Name, d.converted(members[i].Value))
	}
}

func (d *draft) alikeItems(items []spec.Value) spec.Value {
	if len(items) == 0 {
		return spec.ArrayValue(pickJSON(d.dice, constants))
	}
	items = slices.Clone(items)
	i := d.below(len(items))
	switch d.below(3) {
	case 0:
		items[i] = d.alikeValue(items[i])
	case 1:
		slices.Reverse(items)
	default:
		items = append(items, items[i])
	}
	return spec.ArrayValue(items...)
}

func (d *draft) alikeValue(v spec.Value) spec.Value {
	switch v.Kind() {
	case spec.String:
		return spec.StringValue(d.alikeText(v.Text()))
	case spec.Array, spec.Object:
		return d.alikeWithin(v)
	case spec.Number:
		return pickJSON(d.dice, d.numbers)
	default:
		return d.converted(v)
	}
}

// converted returns what loose equality or a conversion takes for the same: a value of another type.
func (d *draft) converted(v spec.Value) spec.Value {
	switch {
	case v.Kind() == spec.Bool && v.IsTrue() && d.maybe():
		return spec.IntValue(1)
	case v.Kind() == spec.Bool && d.maybe(), v.Kind() == spec.Null && d.maybe():
		return spec.IntValue(0)
	case v.Kind() == spec.String:
		return spec.ArrayValue(v)
	default:
		return spec.StringValue(v.String())
	}
}
