package spec

import (
	"bytes"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// reader reads a JSON text from left to right, in a third of the time that the library's tokens take. It does not say
// what is wrong with a text; the library does. Readers are reused, because memory is the largest cost of a small text.
type reader struct {
	text  []byte
	at    int
	depth int

	names     recent // of members
	texts     recent
	unquoting []byte // the text of the last string with escapes, to be written over

	// Items and members of the arrays and objects that are being read, the inner after the outer. A complete array or
	// object is copied, so that a Value takes no more memory than it needs.
	items   []Value
	members []Member
}

var readers = sync.Pool{New: func() any { return &reader{} }}

// Bounds on what a reader that waits for its next text keeps of the last one.
const (
	keptContent   = 1 << 10
	keptTextBytes = 128 << 10
)

// release gives the reader back without the text and the values.
func (r *reader) release() {
	r.text, r.at, r.depth = nil, 0, 0
	r.items, r.members = emptied(r.items), emptied(r.members)
	readers.Put(r)
}

// emptied returns the slice without what an error left in it, or nil if it grew for a single huge text.
func emptied[T any](used []T) []T {
	if cap(used) > keptContent {
		return nil
	}
	clear(used)
	return used[:0]
}

// taken moves the items from start on into a slice of their own.
func taken[T any](all []T, start int) (rest, part []T) {
	part = slices.Clone(all[start:])
	clear(all[start:])
	return all[:start], part
}

// recent has short strings that were read before, so that one that comes again needs no memory.
type recent [256]string

// mostRecent is the longest string, in bytes, that is kept.
const mostRecent = 32

// text returns the bytes as a string. Two strings may want the same place; then the later one takes it.
func (r *recent) text(b []byte) string {
	n := uint32(len(b))
	if n == 0 || n > mostRecent {
		return string(b)
	}
	hash := (n | uint32(b[0])<<8 | uint32(b[n/2])<<16 | uint32(b[n-1])<<24) * 0x9E3779B1
	known := &r[hash>>24]
	if *known != string(b) {
		*known = string(b)
	}
	return *known
}

// mostDepth is how deep arrays and objects may be nested. It is the library's bound, too.
const mostDepth = 10_000

// parse returns the part of the text's value, and whether the whole text is JSON.
func (r *reader) parse(text []byte, p *part) (Value, bool) {
	if !utf8.Valid(text) {
		return Value{}, false
	}
	r.text = text
	v, ok := r.value(p)
	r.blanks()
	return v, ok && r.at == len(text)
}

func (r *reader) blanks() {
	for r.at < len(r.text) && isBlank(r.text[r.at]) {
		r.at++
	}
}

func isBlank(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

// next goes past the byte where it is the next one after blanks.
func (r *reader) next(c byte) bool {
	r.blanks()
	if r.at == len(r.text) || r.text[r.at] != c {
		return false
	}
	r.at++
	return true
}

func (r *reader) value(p *part) (Value, bool) {
	r.blanks()
	if r.at == len(r.text) {
		return Value{}, false
	}
	switch r.text[r.at] {
	case '"':
		quoted, isPlain := r.quoted()
		if quoted == nil {
			return Value{}, false
		}
		if p == nil && isPlain {
			return StringValue(""), true
		}
		text, ok := r.unquoted(quoted, isPlain, &r.texts)
		return StringValue(text), ok
	case '[':
		return r.array(p)
	case '{':
		return r.object(p)
	case 't':
		return BoolValue(true), r.word("true")
	case 'f':
		return BoolValue(false), r.word("false")
	case 'n':
		return NullValue(), r.word("null")
	default:
		return r.number(p)
	}
}

func (r *reader) word(w string) bool {
	if !bytes.HasPrefix(r.text[r.at:], []byte(w)) {
		return false
	}
	r.at += len(w)
	return true
}

// number reads what RFC 8259 calls a number.
func (r *reader) number(p *part) (Value, bool) {
	start := r.at
	r.skip("-")
	if !r.skip("0") && !r.digits() {
		return Value{}, false
	}
	if r.skip(".") && !r.digits() {
		return Value{}, false
	}
	if r.skip("eE") {
		r.skip("+-")
		if !r.digits() {
			return Value{}, false
		}
	}
	if p == nil {
		return NumberValue("0"), true
	}
	return NumberValue(string(r.text[start:r.at])), true
}

// skip goes past the next byte if it is among these.
func (r *reader) skip(any string) bool {
	for i := range len(any) {
		if r.at < len(r.text) && r.text[r.at] == any[i] {
			r.at++
			return true
		}
	}
	return false
}

// digits goes past the digits that come next; there must be at least one.
func (r *reader) digits() bool {
	start := r.at
	for r.at < len(r.text) && '0' <= r.text[r.at] && r.text[r.at] <= '9' {
		r.at++
	}
	return r.at > start
}

// quoted returns the string that begins here, with its quotes, and whether it has no escapes. It returns nothing if the
// string has no end.
func (r *reader) quoted() (text []byte, isPlain bool) {
	isPlain = true
	for i := r.at + 1; i < len(r.text); i++ {
		if standsForItself[r.text[i]] {
			continue
		}
		if r.text[i] == '"' {
			text = r.text[r.at : i+1]
			r.at = i + 1
			return text, isPlain
		}
		if r.text[i] != '\\' { // a control character
			break
		}
		isPlain = false
		i++
	}
	return nil, false
}

// standsForItself has the bytes that are no escape and no end in a string.
var standsForItself = func() (table [256]bool) {
	for c := range table {
		table[c] = c >= ' ' && c != '"' && c != '\\'
	}
	return table
}()

// unquoted returns the content of a string. It leaves escapes to the library.
func (r *reader) unquoted(quoted []byte, isPlain bool, known *recent) (string, bool) {
	if isPlain {
		return known.text(quoted[1 : len(quoted)-1]), true
	}
	text, err := jsontext.AppendUnquote(r.unquoting[:0], quoted)
	if cap(text) <= keptTextBytes {
		r.unquoting = text
	}
	return string(text), err == nil
}

func (r *reader) array(p *part) (Value, bool) {
	r.at++
	if r.depth++; r.depth > mostDepth {
		return Value{}, false
	}
	outer, of := len(r.items), p.item()
	isFirst := true
	for closed := r.next(']'); !closed; closed = r.next(']') {
		if !isFirst && !r.next(',') {
			return Value{}, false
		}
		isFirst = false
		item, ok := r.value(of)
		if !ok {
			return Value{}, false
		}
		if of != nil {
			r.items = append(r.items, item)
		}
	}
	r.depth--
	var items []Value
	r.items, items = taken(r.items, outer)
	return ArrayValue(items...), true
}

func (r *reader) object(p *part) (Value, bool) {
	r.at++
	if r.depth++; r.depth > mostDepth {
		return Value{}, false
	}
	outer := len(r.members)
	for closed := r.next('}'); !closed; closed = r.next('}') {
		if len(r.members) > outer && !r.next(',') {
			return Value{}, false
		}
		m, ok := r.member(p)
		if !ok {
			return Value{}, false
		}
		r.members = append(r.members, m)
	}
	r.depth--
	if namedTwice(r.members[outer:]) {
		return Value{}, false
	}
	if p != whole {
		kept := slices.DeleteFunc(r.members[outer:], func(m Member) bool { return m.Value.IsAbsent() })
		r.members = r.members[:outer+len(kept)]
	}
	var members []Member
	r.members, members = taken(r.members, outer)
	return ObjectValue(members...), true
}

// namedTwice reports whether two members have the same name.
func namedTwice(members []Member) bool {
	if len(members) > manyMembers {
		seen := make(map[string]bool, len(members))
		return slices.ContainsFunc(members, func(m Member) bool {
			was := seen[m.Name]
			seen[m.Name] = true
			return was
		})
	}
	for i := range members {
		for j := range i {
			if members[i].Name == members[j].Name {
				return true
			}
		}
	}
	return false
}

// member reads a name and its value, which is absent if it is not part of the object that is read.
func (r *reader) member(object *part) (Member, bool) {
	r.blanks()
	if r.at == len(r.text) || r.text[r.at] != '"' {
		return Member{}, false
	}
	quoted, isPlain := r.quoted()
	if quoted == nil {
		return Member{}, false
	}
	name, ok := r.unquoted(quoted, isPlain, &r.names)
	if !ok || !r.next(':') {
		return Member{}, false
	}
	p := object.member(name)
	value, ok := r.value(p)
	if p == nil {
		value = Value{}
	}
	return Member{name, value}, ok
}
