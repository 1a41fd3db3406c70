package crow

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/loopstone/loopstone/reference/parts/pyjson"
	"github.com/loopstone/loopstone/spec"
)

// appendRepr appends v as Python's repr writes what json.loads makes of it: members in the order received.
func appendRepr(b []byte, v spec.Value) []byte { // CR-51
	switch v.Kind() {
	case spec.Object:
		return appendDict(b, v.Members())
	case spec.Array:
		return appendList(b, v.Items())
	case spec.String:
		s, _ := v.Str()
		return appendText(b, s)
	case spec.Number:
		return pyjson.AppendSorted(b, v) // Python writes numbers alike in both
	case spec.Bool:
		if v.IsTrue() {
			return append(b, "True"...)
		}
		return append(b, "False"...)
	default:
		return append(b, "None"...)
	}
}

func appendDict(b []byte, members []spec.Member) []byte { // CR-51
	b = append(b, '{')
	for i, m := range members {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(appendText(b, m.Name), ": "...)
		b = appendRepr(b, m.Value)
	}
	return append(b, '}')
}

func appendList(b []byte, items []spec.Value) []byte { // CR-51
	b = append(b, '[')
	for i, item := range items {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = appendRepr(b, item)
	}
	return append(b, ']')
}

// appendText writes a string literal. It uses double quotes only if this saves the escaping of single quotes.
func appendText(b []byte, s string) []byte { // CR-51
	quote := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	b = append(b, byte(quote))
	for _, r := range s {
		b = appendCharacter(b, r, quote)
	}
	return append(b, byte(quote))
}

func appendCharacter(b []byte, r, quote rune) []byte { // CR-51
	switch {
	case r == quote || r == '\\':
		return append(b, '\\', byte(r))
	case r == '\n':
		return append(b, `\n`...)
	case r == '\r':
		return append(b, `\r`...)
	case r == '\t':
		return append(b, `\t`...)
	case unicode.IsPrint(r):
		return append(b, string(r)...)
	case r <= 0xFF: // CR-52
		return fmt.Appendf(b, `\x%02x`, r)
	case r <= 0xFFFF:
		return fmt.Appendf(b, `\u%04x`, r)
	default:
		return fmt.Appendf(b, `\U%08x`, r)
	}
}
