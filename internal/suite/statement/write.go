package statement

import (
	"io"

	"github.com/go-json-experiment/json"

	"github.com/loopstone/loopstone/spec"
)

// Write writes the statement as a JSON document in which each result stands on a line of its own, so that two of them
// can be compared line by line.
func Write(w io.Writer, s Statement) error {
	v, err := valueOf(s)
	if err != nil {
		return err
	}
	_, err = w.Write(append(layOut(v), '\n'))
	return err
}

// valueOf returns the statement as the JSON value that is written.
func valueOf(s Statement) (spec.Value, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return spec.Value{}, err
	}
	return spec.ParseValue(text)
}

// layOut writes an object with one member a line, and one item a line of those that are lists.
func layOut(object spec.Value) []byte {
	b := []byte("{")
	for i, m := range object.Members() {
		b = appendBreak(b, i, "  ")
		b = spec.StringValue(m.Name).AppendJSON(b)
		b = append(b, ": "...)
		if len(m.Value.Items()) == 0 {
			b = m.Value.AppendJSON(b)
			continue
		}
		b = append(b, '[')
		for k, item := range m.Value.Items() {
			b = item.AppendJSON(appendBreak(b, k, "    "))
		}
		b = append(b, "\n  ]"...)
	}
	return append(b, "\n}"...)
}

// appendBreak begins a line with the i-th part of a list.
func appendBreak(b []byte, i int, indent string) []byte {
	if i > 0 {
		b = append(b, ',')
	}
	return append(append(b, '\n'), indent...)
}
