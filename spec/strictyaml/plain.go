package strictyaml

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// meaningOf returns what a plain (unquoted) scalar is to every reader of YAML. If readers differ, remedy says what to
// write in its place.
func meaningOf(text string) (kind spec.Kind, remedy string) {
	switch {
	case text == "true" || text == "false":
		return spec.Bool, ""
	case text == "null":
		return spec.Null, ""
	case startsWord(text): // most scalars, on which no pattern has to be tried
		return spec.String, remedyOfWord(text)
	case jsonNumber.MatchString(text):
		return spec.Number, ""
	default:
		return spec.String, remedyOf(text)
	}
}

// startsWord reports whether the text begins as no number does.
func startsWord(text string) bool {
	return text != "" && (text[0] == '_' || 'a' <= text[0]|0x20 && text[0]|0x20 <= 'z')
}

// misread are the words that some reader of YAML takes for a boolean or null, in any case, with what they mean there.
var misread = map[string]string{
	"y": "true", "yes": "true", "on": "true", "true": "true",
	"n": "false", "no": "false", "off": "false", "false": "false",
	"null": "null",
}

func remedyOfWord(word string) string {
	if len(word) > len("false") { // no word of the list is longer
		return ""
	}
	if meaning := misread[strings.ToLower(word)]; meaning != "" {
		return fmt.Sprintf("write %s, or %q for a text", meaning, word)
	}
	return ""
}

var (
	jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

	// numberLike matches what YAML 1.1, YAML 1.2 or a common reader takes for a number, without its _ and commas: other
	// bases, base 60 (1:30), and spellings that are not JSON's (012, +1, .5, 1., .inf).
	numberLike = regexp.MustCompile(`(?i)^[-+]?(0b[-+]?[01]+|0o[-+]?[0-7]+|0x[-+]?[0-9a-f]+|[0-9]+(:[0-5]?[0-9])+(\.[0-9]*)?|` +
		`([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?|\.inf|\.nan)$`)
	separators = strings.NewReplacer("_", "", ",", "")

	timeLike = regexp.MustCompile(
		`^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(([Tt]|[ \t]+)[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}.*)?$`)
)

// remedyOf returns what to write in place of a plain scalar that begins with no letter and that readers differ on.
func remedyOf(text string) string {
	quoted := strconv.Quote(text)
	switch bare := strings.ReplaceAll(text, "_", ""); {
	case text == "~":
		return fmt.Sprintf("write null, or %s for a text", quoted)
	case jsonNumber.MatchString(bare):
		return fmt.Sprintf("write %s, or %s for a text", bare, quoted)
	case numberLike.MatchString(separators.Replace(text)):
		return fmt.Sprintf("write the number as JSON does, or %s for a text", quoted)
	case timeLike.MatchString(text), text == "=", text == "<<", text[0] == ':', text[0] == '?':
		return "write " + quoted
	default:
		return ""
	}
}

// plain matches texts that need no quotes anywhere in a document, except the misread words.
var plain = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*( [A-Za-z0-9_-]+)*$`)

// Quoted returns a text as the dialect writes it: unquoted if it consists of plain words, otherwise in double quotes.
// YAML has all escapes of Go, and leaves every character unescaped that Go leaves unescaped.
func Quoted(text string) string {
	if plain.MatchString(text) && remedyOfWord(text) == "" {
		return text
	}
	return strconv.Quote(text)
}
