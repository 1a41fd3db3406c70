package spec

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// reader is what it takes to read a JSON text. Readers are used again: their memory is what costs most about a small
// text.
type reader struct {
	text   bytes.Buffer
	tokens jsontext.Decoder
	names  map[string]string // member names that were read before, so that each is one string in memory

	unquoting []byte // the text of the last string with escapes, to be written over

	// Items and members of the arrays and objects that are being read, those of an inner one after those of the outer
	// one. What is complete is copied, so that a Value takes no more memory than it needs.
	items   []Value
	members []Member
}

var readers = sync.Pool{New: func() any { return &reader{names: map[string]string{}} }}

// Bounds on what a reader that waits for its next text keeps of the last one.
const (
	keptNames     = 256
	keptNameBytes = 32
	keptContent   = 1 << 10
	keptTextBytes = 128 << 10
)

// release gives the reader back without the text and the values.
func (r *reader) release() {
	r.text = bytes.Buffer{}
	r.tokens.Reset(&r.text)
	r.items, r.members = emptied(r.items), emptied(r.members)
	readers.Put(r)
}

// emptied returns the slice without what an error left in it; nothing where it grew for a single huge text.
func emptied[T any](used []T) []T {
	if cap(used) > keptContent {
		return nil
	}
	clear(used)
	return used[:0]
}

// taken moves what lies from start on into a slice of its own.
func taken[T any](all []T, start int) (rest, part []T) {
	part = slices.Clone(all[start:])
	clear(all[start:])
	return all[:start], part
}

func (r *reader) value() (Value, error) {
	tok, err := r.tokens.ReadToken()
	if err != nil {
		return Value{}, err
	}
	switch tok.Kind() {
	case 'n':
		return NullValue(), nil
	case 't', 'f':
		return BoolValue(tok.Kind() == 't'), nil
	case '"':
		return StringValue(tok.String()), nil
	case '0':
		return NumberValue(tok.String()), nil
	case '[':
		return r.array()
	default:
		return r.object()
	}
}

func (r *reader) array() (Value, error) {
	outer := len(r.items)
	for r.tokens.PeekKind() != ']' {
		item, err := r.value()
		if err != nil {
			return Value{}, err
		}
		r.items = append(r.items, item)
	}
	var items []Value
	r.items, items = taken(r.items, outer)
	_, err := r.tokens.ReadToken()
	return ArrayValue(items...), err
}

func (r *reader) object() (Value, error) {
	outer := len(r.members)
	for r.tokens.PeekKind() != '}' {
		name, err := r.name()
		if err != nil {
			return Value{}, err
		}
		value, err := r.value()
		if err != nil {
			return Value{}, err
		}
		r.members = append(r.members, Member{name, value})
	}
	var members []Member
	r.members, members = taken(r.members, outer)
	_, err := r.tokens.ReadToken()
	return ObjectValue(members...), err
}

// name reads the name of a member. Most names come again with the next text.
func (r *reader) name() (string, error) {
	quoted, err := r.tokens.ReadValue()
	if err != nil {
		return "", err
	}
	name, ok := r.known(quoted, false)
	if !ok {
		return "", fmt.Errorf("a name that is no string: %s", quoted)
	}
	return name, nil
}

// known returns the name that is quoted so: the same string in memory as when it was read before.
func (r *reader) known(quoted []byte, isPlain bool) (string, bool) {
	if name, known := r.names[string(quoted)]; known {
		return name, true
	}
	name, ok := r.unquoted(quoted, isPlain)
	if ok && len(r.names) < keptNames && len(quoted) <= keptNameBytes {
		r.names[string(quoted)] = name
	}
	return name, ok
}
