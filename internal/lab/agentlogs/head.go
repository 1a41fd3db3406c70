package agentlogs

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopstone/loopstone/spec"
)

// head is the beginning of a log, as far as it could be read.
type head struct {
	values  []spec.Value // the JSON texts; the last of them may lack its end
	single  bool         // there is one text at most, as far as the head goes
	cut     bool         // the log goes on behind it
	tooLong bool         // the first text is longer than a record may be
	problem error        // why nothing could be read, where there is nothing
}

func readHead(begin []byte) head {
	if len(bytes.TrimSpace(begin)) == 0 {
		return head{single: true, problem: errors.New("it is empty")}
	}
	begin = bytes.ToValidUTF8(begin, []byte("?")) // where it is wrong is told when it is read
	var h head
	decoder := newDecoder(bytes.NewReader(begin))
	for h.problem == nil {
		text, err := decoder.ReadValue()
		if err != nil {
			h.take(completed(begin[decoder.InputOffset():]))
			break
		}
		h.take(text)
	}
	h.single = len(h.values) < 2
	return h
}

// take takes in a JSON text, if it is one.
func (h *head) take(text []byte) {
	v, err := parse(text)
	switch {
	case err == nil:
		h.values = append(h.values, v)
	case errors.Is(err, errTooDeep), errors.Is(err, errTooMany):
		h.problem = err
	default:
		h.problem = errors.New("it does not begin with JSON in UTF-8")
	}
}

// completed returns a text of JSON that was cut off, closed behind what there is whole of it.
func completed(text []byte) []byte {
	decoder := newDecoder(bytes.NewReader(text))
	var err error
	for err == nil {
		_, err = decoder.ReadToken()
	}
	whole := bytes.Clone(text[:decoder.InputOffset()])
	for depth := decoder.StackDepth(); depth > 0; depth-- {
		switch kind, length := decoder.StackIndex(depth); {
		case kind == '[':
			whole = append(whole, ']')
		case length%2 == 1: // a name without its value
			whole = append(whole, ":null}"...)
		default:
			whole = append(whole, '}')
		}
	}
	return whole
}

// records returns what a log of records begins with: its JSON texts, or the items of the array that it is.
func (h head) records() []spec.Value {
	if len(h.values) > 0 && h.values[0].Kind() == spec.Array {
		return h.values[0].Items()
	}
	return h.values
}

var (
	errTooLong = errors.New("too long")
	errTooDeep = fmt.Errorf("values are nested more than %d deep", mostDepth)
	errTooMany = fmt.Errorf("a record holds more than %d values", mostParts)
)

// parse reads a JSON text, with the limits of a record.
func parse(text []byte) (spec.Value, error) {
	text, _ = halvesApart(text)
	if err := checkLimits(text); err != nil {
		return spec.Value{}, err
	}
	return spec.ParseValue(text)
}

// checkLimits returns an error where a text of JSON is nested too deep, or holds too many values.
func checkLimits(text []byte) error {
	if len(text) <= mostParts && bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) <= mostDepth {
		return nil // it cannot
	}
	decoder := newDecoder(bytes.NewReader(text))
	for parts := 0; ; {
		token, err := decoder.ReadToken()
		switch kind, length := decoder.StackIndex(decoder.StackDepth()); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case token.Kind() == ']' || token.Kind() == '}' || kind == '{' && length%2 == 1: // an end, or a name
		default:
			parts++
		}
		if parts > mostParts {
			return errTooMany
		}
		if decoder.StackDepth() > mostDepth {
			return errTooDeep
		}
	}
}

// newDecoder returns a decoder that takes what real logs hold: texts that were cut in the middle of a character, which
// [halvesApart] has written out where it matters.
func newDecoder(r io.Reader) *jsontext.Decoder {
	return jsontext.NewDecoder(r, jsontext.AllowInvalidUTF8(true))
}
