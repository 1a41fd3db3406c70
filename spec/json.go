package spec

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopstone/loopstone/internal/wording"
)

// ParseValue reads one JSON text. It is strict: a duplicate member name, a lone surrogate, text that is not UTF-8 and
// anything after the value are errors.
func ParseValue(text []byte) (Value, error) { return parsePart(text, whole) }

func parsePart(text []byte, p *part) (Value, error) {
	r := readers.Get().(*reader)
	defer r.release()
	if v, ok := r.parse(text, p); ok {
		return v, nil
	}
	return Value{}, fmt.Errorf("parse JSON: %w", wrongIn(text))
}

// wrongIn returns what is wrong with a text that is not JSON, as the library finds it.
func wrongIn(text []byte) error {
	tokens := jsontext.NewDecoder(bytes.NewReader(text))
	if _, err := tokens.ReadValue(); err != nil {
		return wording.JSON(err)
	}
	_, _ = tokens.ReadToken() // goes past the blanks
	return fmt.Errorf("more text after the value, at byte %d", tokens.InputOffset())
}

// MustParse is [ParseValue] for literals in programs: it panics if the text is not JSON.
func MustParse(text string) Value {
	v, err := ParseValue([]byte(text))
	if err != nil {
		panic(err)
	}
	return v
}

// AppendJSON appends v as compact JSON on one line: members in their order, numbers as they were spelled. An absent
// value is written as null.
func (v Value) AppendJSON(b []byte) []byte { return v.write(b, false) }

// write appends the text of v, canonical or as it was received.
func (v Value) write(b []byte, canonical bool) []byte {
	switch v.kind {
	case Bool:
		return append(b, v.text...)
	case Number:
		if canonical {
			return appendCanonicalNumber(b, v)
		}
		return append(b, v.text...)
	case String:
		return appendString(b, v.text)
	case Array:
		b = append(b, '[')
		for i, item := range v.Items() {
			if i > 0 {
				b = append(b, ',')
			}
			b = item.write(b, canonical)
		}
		return append(b, ']')
	case Object:
		members := v.Members()
		if canonical {
			members = sortedMembers(members)
		}
		b = append(b, '{')
		for i, m := range members {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, m.Name), ':')
			b = m.Value.write(b, canonical)
		}
		return append(b, '}')
	default:
		return append(b, "null"...)
	}
}

// appendString never fails here: jsontext replaces bad UTF-8, which Values do not hold, and reports that it did.
func appendString(b []byte, s string) []byte {
	if isPlain(s) {
		return append(append(append(b, '"'), s...), '"')
	}
	b, _ = jsontext.AppendQuote(b, s)
	return b
}

// isPlain reports whether JSON writes a text as it is. Most are, and the library takes longer to see it.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// String returns v as compact JSON.
func (v Value) String() string { return string(v.AppendJSON(nil)) }

// MarshalJSON implements [encoding/json.Marshaler].
func (v Value) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil), nil }

// UnmarshalJSON implements [encoding/json.Unmarshaler], as strict as [ParseValue].
func (v *Value) UnmarshalJSON(text []byte) error {
	parsed, err := ParseValue(text)
	if err == nil {
		*v = parsed
	}
	return err
}

// part says which part of a JSON value is kept. The rest is read, because it must be JSON, but takes no memory. A nil
// part keeps nothing; any other part keeps a text, a number, a boolean or a null.
type part struct {
	members map[string]*part // of an object; members that are not named are not kept
	items   *part            // of each item of an array; nil keeps no items
}

var (
	whole  = everything() // keeps all of a value
	scalar = &part{}      // keeps an array or an object without its content
)

func everything() *part {
	p := &part{}
	p.items = p
	return p
}

func (p *part) item() *part {
	if p == nil {
		return nil
	}
	return p.items
}

func (p *part) member(name string) *part {
	if p == nil || p == whole {
		return p
	}
	return p.members[name]
}

// scalars returns the part that keeps these members of an object, without the content of arrays and objects.
func scalars(names ...string) *part {
	p := &part{members: map[string]*part{}}
	for _, name := range names {
		p.members[name] = scalar
	}
	return p
}

// response keeps what the protocol knows of a response, whatever its method (PR-4).
var response = &part{members: map[string]*part{
	"jsonrpc": scalar,
	"id":      scalar,
	"result":  partOfResult(),
	"error": {members: map[string]*part{
		"code": scalar, "message": scalar, "data": scalars("kind", "field", "feature"),
	}},
}}

func partOfResult() *part {
	p := scalars("protocol", "name", "version", "language", "url")
	p.members["detectors"], p.members["state"], p.members["value"] = whole, whole, whole
	p.members["verdicts"] = &part{items: partOfVerdict()}
	return p
}

func partOfVerdict() *part {
	p := scalars(VerdictMembers()...)
	p.members["evidence"] = &part{items: scalar}
	return p
}

// ParseResponse is [ParseValue] of a response of the protocol. Members that the protocol does not know are left out
// (PR-4), so that a value takes no more memory than the protocol needs, whatever an adapter writes.
func ParseResponse(line []byte) (Value, error) { return parsePart(line, response) }
