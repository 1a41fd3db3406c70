package spec

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// quick reads a JSON text from left to right, without the tokens of the library, at a third of the cost. It gives up
// where anything is unusual, and on every fault: the library reads the text then, and says what is wrong with it.
type quick struct {
	*reader
	text  []byte
	at    int
	depth int
}

// What quick takes; beyond it the library is as good.
const (
	quickDepth   = 256
	quickMembers = manyMembers // of one object: each name is compared with those before it
)

// parseQuick returns the value of the text, and whether it is JSON that quick takes.
func (r *reader) parseQuick(text []byte) (Value, bool) {
	if !utf8.Valid(text) {
		return Value{}, false
	}
	q := quick{reader: r, text: text}
	v, ok := q.value()
	q.blanks()
	return v, ok && q.at == len(text)
}

func (q *quick) blanks() {
	for q.at < len(q.text) && (q.text[q.at] == ' ' || q.text[q.at] == '\n' || q.text[q.at] == '\t' || q.text[q.at] == '\r') {
		q.at++
	}
}

// next goes past the byte where it is the next one after blanks.
func (q *quick) next(c byte) bool {
	q.blanks()
	if q.at == len(q.text) || q.text[q.at] != c {
		return false
	}
	q.at++
	return true
}

func (q *quick) value() (Value, bool) {
	q.blanks()
	if q.at == len(q.text) || q.depth == quickDepth {
		return Value{}, false
	}
	switch q.text[q.at] {
	case '"':
		quoted, isPlain := q.quoted()
		if quoted == nil {
			return Value{}, false
		}
		text, ok := q.unquoted(quoted, isPlain)
		return StringValue(text), ok
	case '[':
		return q.array()
	case '{':
		return q.object()
	case 't':
		return BoolValue(true), q.word("true")
	case 'f':
		return BoolValue(false), q.word("false")
	case 'n':
		return NullValue(), q.word("null")
	default:
		return q.number()
	}
}

func (q *quick) word(w string) bool {
	if !bytes.HasPrefix(q.text[q.at:], []byte(w)) {
		return false
	}
	q.at += len(w)
	return true
}

// number reads what RFC 8259 calls a number.
func (q *quick) number() (Value, bool) {
	start := q.at
	q.skip("-")
	if !q.skip("0") && !q.digits() {
		return Value{}, false
	}
	if q.skip(".") && !q.digits() {
		return Value{}, false
	}
	if q.skip("eE") {
		q.skip("+-")
		if !q.digits() {
			return Value{}, false
		}
	}
	return NumberValue(string(q.text[start:q.at])), true
}

// skip goes past the next byte where it is one of these.
func (q *quick) skip(any string) bool {
	for i := range len(any) {
		if q.at < len(q.text) && q.text[q.at] == any[i] {
			q.at++
			return true
		}
	}
	return false
}

// digits goes past the digits that come next, of which there must be one.
func (q *quick) digits() bool {
	start := q.at
	for q.at < len(q.text) && '0' <= q.text[q.at] && q.text[q.at] <= '9' {
		q.at++
	}
	return q.at > start
}

// quoted returns the string that begins here with its quotes, and whether all between them stands for itself; nothing
// where it has no end.
func (q *quick) quoted() (text []byte, isPlain bool) {
	isPlain = true
	for i := q.at + 1; i < len(q.text); i++ {
		if standsForItself[q.text[i]] {
			continue
		}
		if q.text[i] == '"' {
			text = q.text[q.at : i+1]
			q.at = i + 1
			return text, isPlain
		}
		if q.text[i] != '\\' { // a control character
			break
		}
		isPlain = false
		i++
	}
	return nil, false
}

// standsForItself has the bytes that mean nothing but themselves in a string.
var standsForItself = func() (table [256]bool) {
	for c := range table {
		table[c] = c >= ' ' && c != '"' && c != '\\'
	}
	return table
}()

// unquoted returns what a string says. The library knows the longer escapes, and what is none.
func (r *reader) unquoted(quoted []byte, isPlain bool) (string, bool) {
	rest := quoted[1 : len(quoted)-1]
	if isPlain {
		return string(rest), true
	}
	text := slices.Grow(r.unquoting[:0], len(rest))
	for i := bytes.IndexByte(rest, '\\'); i >= 0; i = bytes.IndexByte(rest, '\\') {
		c := escapes[rest[i+1]]
		if c == 0 {
			long, err := jsontext.AppendUnquote(text[:0], quoted)
			return string(long), err == nil
		}
		text = append(append(text, rest[:i]...), c)
		rest = rest[i+2:]
	}
	text = append(text, rest...)
	if cap(text) <= keptTextBytes {
		r.unquoting = text
	}
	return string(text), true
}

// escapes has what the escapes of one letter stand for.
var escapes = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

func (q *quick) array() (Value, bool) {
	q.at++
	q.depth++
	outer := len(q.items)
	for closed := q.next(']'); !closed; closed = q.next(']') {
		if len(q.items) > outer && !q.next(',') {
			return Value{}, false
		}
		item, ok := q.value()
		if !ok {
			return Value{}, false
		}
		q.items = append(q.items, item)
	}
	q.depth--
	var items []Value
	q.items, items = taken(q.items, outer)
	return ArrayValue(items...), true
}

func (q *quick) object() (Value, bool) {
	q.at++
	q.depth++
	outer := len(q.members)
	for closed := q.next('}'); !closed; closed = q.next('}') {
		if len(q.members) > outer && !q.next(',') {
			return Value{}, false
		}
		m, ok := q.member(q.members[outer:])
		if !ok {
			return Value{}, false
		}
		q.members = append(q.members, m)
	}
	q.depth--
	var members []Member
	q.members, members = taken(q.members, outer)
	return ObjectValue(members...), true
}

// member reads a name that none of the members before has, and its value.
func (q *quick) member(before []Member) (Member, bool) {
	q.blanks()
	if q.at == len(q.text) || q.text[q.at] != '"' || len(before) == quickMembers {
		return Member{}, false
	}
	quoted, isPlain := q.quoted()
	if quoted == nil {
		return Member{}, false
	}
	name, ok := q.known(quoted, isPlain)
	for i := range before {
		ok = ok && before[i].Name != name
	}
	if !ok || !q.next(':') {
		return Member{}, false
	}
	value, ok := q.value()
	return Member{name, value}, ok
}
