package spec

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/internal/lists"
)

// Kind is the JSON type of a [Value].
type Kind uint8

// The kinds of a Value. Absent is the zero Value: no JSON value at all, which is not the same as null.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"absent", "null", "boolean", "number", "string", "array", "object"}

// String returns the name that JSON Schema gives to the kind.
func (k Kind) String() string { return kindNames[k] }

// Value is a JSON value that keeps what most decoders drop: the spelling of its numbers (1 is not 1.0) and the order
// of its members. Values are immutable; copying one is cheap and shares its content. The zero Value is absent.
type Value struct {
	kind    Kind
	text    string   // a string's content, or a number as it was spelled; "true" or "false"
	content *content // of an array or an object; nil if it is empty
}

// content stands apart, so that a Value is small: most are texts and numbers, and all are copied often.
type content struct {
	items   []Value
	members []Member
}

// Member is one name and value of an object.
type Member struct {
	Name  string
	Value Value
}

// NullValue returns JSON's null.
func NullValue() Value { return Value{kind: Null} }

// BoolValue returns true or false.
func BoolValue(b bool) Value { return Value{kind: Bool, text: strconv.FormatBool(b)} }

// StringValue returns a JSON string. It assumes that s is well-formed UTF-8.
func StringValue(s string) Value { return Value{kind: String, text: s} }

// IntValue returns a JSON number without fraction or exponent.
func IntValue(n int) Value { return Value{kind: Number, text: strconv.Itoa(n)} }

// FloatValue returns the shortest JSON number that reads back as f. It assumes that f is finite.
func FloatValue(f float64) Value {
	return Value{kind: Number, text: strconv.FormatFloat(f, 'g', -1, 64)}
}

// NumberValue returns the number with this spelling. It assumes that the spelling is JSON's; [ParseValue] checks it.
func NumberValue(spelling string) Value { return Value{kind: Number, text: spelling} }

// ArrayValue returns an array of the items.
func ArrayValue(items ...Value) Value {
	if len(items) == 0 {
		return Value{kind: Array}
	}
	return Value{kind: Array, content: &content{items: items}}
}

// ObjectValue returns an object of the members, in their order. It assumes that no name occurs twice.
func ObjectValue(members ...Member) Value {
	if len(members) == 0 {
		return Value{kind: Object}
	}
	return Value{kind: Object, content: &content{members: members}}
}

// StringsValue returns an array of strings.
func StringsValue[T ~string](texts []T) Value {
	return ArrayValue(lists.Map(texts, func(s T) Value { return StringValue(string(s)) })...)
}

// IntsValue returns an array of integers.
func IntsValue(numbers []int) Value { return ArrayValue(lists.Map(numbers, IntValue)...) }

// Map returns an array or object in which change has replaced the value of each item or member, in the same order. It
// returns any other value unchanged.
func (v Value) Map(change func(Value) Value) Value {
	if v.content == nil {
		return v
	}
	items, members := slices.Clone(v.content.items), slices.Clone(v.content.members)
	for i := range items {
		items[i] = change(items[i])
	}
	for i := range members {
		members[i].Value = change(members[i].Value)
	}
	return Value{kind: v.kind, content: &content{items: items, members: members}}
}

// Kind returns the JSON type.
func (v Value) Kind() Kind { return v.kind }

// IsAbsent reports whether there is no value at all.
func (v Value) IsAbsent() bool { return v.kind == Absent }

// Str returns a string's content and whether v is a string; the empty text if it is not.
func (v Value) Str() (string, bool) {
	if v.kind != String {
		return "", false
	}
	return v.text, true
}

// Text returns a string's content; the empty text if v is no string.
func (v Value) Text() string {
	text, _ := v.Str()
	return text
}

// Texts returns the contents of an array's items, the empty text for each that is no string; none for any other kind.
func (v Value) Texts() []string {
	var texts []string
	for _, item := range v.Items() {
		texts = append(texts, item.Text())
	}
	return texts
}

// IsTrue reports whether v is the boolean true.
func (v Value) IsTrue() bool { return v.kind == Bool && v.text == "true" }

// Spelling returns a number as it was written and whether v is a number; the empty text if it is not.
func (v Value) Spelling() (string, bool) {
	if v.kind != Number {
		return "", false
	}
	return v.text, true
}

// IsIntegerLiteral reports whether v is a number written without fraction and exponent, as Python's json reads an int.
func (v Value) IsIntegerLiteral() bool {
	return v.kind == Number && !strings.ContainsAny(v.text, ".eE")
}

// Int returns a number written without fraction and exponent. Integers outside int saturate at its ends.
func (v Value) Int() (int, bool) {
	if !v.IsIntegerLiteral() {
		return 0, false
	}
	n, err := strconv.Atoi(v.text)
	if err == nil {
		return n, true
	}
	if strings.HasPrefix(v.text, "-") {
		return math.MinInt, true
	}
	return math.MaxInt, true
}

// Whole returns a number whose value is an integer, however it is written: an integer of JSON Schema, such as 3, 3.0 or
// 3e0. Integers outside int saturate at its ends.
func (v Value) Whole() (int, bool) {
	if n, ok := v.Int(); ok || v.kind != Number {
		return n, ok
	}
	if d, ok := decimalOf(v.text); !ok || d.exponent < 0 {
		return 0, false
	}
	switch f, _ := v.Float(); {
	case f <= math.MinInt:
		return math.MinInt, true
	case f >= math.MaxInt:
		return math.MaxInt, true
	default:
		return int(f), true
	}
}

// Float returns a number as the nearest double; infinite if the number is outside the range of doubles.
func (v Value) Float() (float64, bool) {
	if v.kind != Number {
		return 0, false
	}
	f, _ := strconv.ParseFloat(v.text, 64) // the only error left is the range, and f is then infinite
	return f, true
}

// Items returns an array's items; none for any other kind. The caller must not change them.
func (v Value) Items() []Value {
	if v.content == nil {
		return nil
	}
	return v.content.items
}

// Members returns an object's members in the order they were received; none for any other kind. The caller must not
// change them.
func (v Value) Members() []Member {
	if v.content == nil {
		return nil
	}
	return v.content.members
}

// Get returns the member of that name, absent if v has none or is not an object.
func (v Value) Get(name string) Value {
	members := v.Members()
	for i := range members { // by place: a copy of each would cost more than the comparison
		if members[i].Name == name {
			return members[i].Value
		}
	}
	return Value{}
}

// With returns a copy of the object v in which the member has that value. A new member is added at the end.
func (v Value) With(name string, value Value) Value {
	i := slices.IndexFunc(v.Members(), func(m Member) bool { return m.Name == name })
	if i < 0 {
		return ObjectValue(append(slices.Clip(v.Members()), Member{name, value})...)
	}
	members := slices.Clone(v.Members())
	members[i].Value = value
	return ObjectValue(members...)
}

// Without returns a copy of the object v that lacks the member.
func (v Value) Without(name string) Value {
	return ObjectValue(slices.DeleteFunc(slices.Clone(v.Members()), func(m Member) bool { return m.Name == name })...)
}

// SameWords reports whether two values are texts that differ at most in the length and kind of their white space.
func (v Value) SameWords(w Value) bool {
	return v.kind == String && w.kind == String && slices.Equal(strings.Fields(v.text), strings.Fields(w.text))
}

// Equal reports whether two values are the same JSON value: numbers by their exact numeric value (1 equals 1.0),
// objects without regard to the order of members. Two absent values are equal.
func (v Value) Equal(w Value) bool {
	if v.kind != w.kind {
		return false
	}
	switch v.kind {
	case Number:
		return sameNumber(v.text, w.text)
	case Array:
		return slices.EqualFunc(v.Items(), w.Items(), Value.Equal)
	case Object:
		return equalMembers(v, w)
	default:
		return v.text == w.text
	}
}

// tolerance is how far two numbers may lie apart that are near: languages differ in the last bits of a double.
const tolerance = 1e-9

// Near reports whether two values are equal, or are numbers within 1e-9 of one another, not both written as integers.
func (v Value) Near(w Value) bool {
	x, isNumber := v.Float()
	y, areNumbers := w.Float()
	areNumbers = areNumbers && isNumber && !(v.IsIntegerLiteral() && w.IsIntegerLiteral())
	return v.Equal(w) || areNumbers && math.Abs(x-y) <= tolerance
}

func equalMembers(v, w Value) bool {
	if len(v.Members()) != len(w.Members()) {
		return false
	}
	others := w.Get
	if len(w.Members()) > manyMembers {
		index := make(map[string]Value, len(w.Members()))
		for _, m := range w.Members() {
			index[m.Name] = m.Value
		}
		others = func(name string) Value { return index[name] }
	}
	for _, m := range v.Members() {
		if other := others(m.Name); other.IsAbsent() || !m.Value.Equal(other) {
			return false
		}
	}
	return true
}

// manyMembers is the number of members from which on an index costs less than a linear search for each member.
const manyMembers = 32

// sameNumber compares in linear time, however long the numbers are and however large their exponents.
func sameNumber(a, b string) bool {
	if a == b {
		return true
	}
	x, okX := decimalOf(a)
	y, okY := decimalOf(b)
	return okX && okY && x == y
}

// decimal is a number as an integer that ends in no 0, and a power of ten; zero has no digits.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

// decimalOf returns the number with this spelling; false if the exponent is beyond an int.
func decimalOf(spelling string) (decimal, bool) {
	digits, negative := strings.CutPrefix(spelling, "-")
	exponent := 0
	if i := strings.IndexAny(digits, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.Atoi(digits[i+1:]); err != nil {
			return decimal{}, false
		}
		digits = digits[:i]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(digits, "0")
	if trimmed == "" {
		return decimal{}, true
	}
	return decimal{negative, trimmed, exponent - len(fraction) + len(digits) - len(trimmed)}, true
}
