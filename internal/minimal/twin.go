package minimal

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// Twins returns the cases that are equal to an earlier one but for names, one problem a line: they do and demand the
// same, of the same readings, once the words of their texts and the numbers in the arguments of their calls are numbered
// in the order in which they turn up. Words that a clause puts in backticks are not names: rules look for them. What is
// between the words, white space and punctuation, must be the same, too.
func Twins(suite []cases.Case) []error {
	first := map[string]cases.Case{}
	var problems []error
	for _, c := range suite {
		shape := shapeOf(c)
		if other, twice := first[shape]; twice {
			problems = append(problems, fmt.Errorf("%s: %s is %s in other words", c.Place, c.ID, other.ID))
			continue
		}
		first[shape] = c
	}
	return problems
}

// shapeOf returns a text that two cases share exactly where they are twins.
func shapeOf(c cases.Case) string {
	demand := c.Demand()
	n := naming{words: map[string]int{}, folded: map[string]int{}}
	shape := fmt.Sprint(c.Detector, c.Readings, c.Needs, c.Config)
	for _, part := range []string{"refuse", "call", "result", "fault", "exchange"} {
		shape += " " + demand.Get(part).String()
	}
	return shape + n.rename("", demand.Get("steps")).String()
}

// naming numbers the words of one case.
type naming struct {
	words  map[string]int
	folded map[string]int // how many spellings a word has that differ in case only
}

// keptMembers are the members whose texts are no names.
var keptMembers = []string{"type", "role", "kind", "field", "feature", "severity", "error_type", "suggestion"}

// rename returns a value with its texts renamed. The member is the name under which it stands.
func (n *naming) rename(member string, v spec.Value) spec.Value {
	switch v.Kind() {
	case spec.String:
		text, _ := v.Str()
		if slices.Contains(keptMembers, member) {
			return v
		}
		return spec.StringValue(n.renameText(text))
	case spec.Array:
		items := make([]spec.Value, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = n.rename(member, item)
		}
		return spec.ArrayValue(items...)
	case spec.Object:
		members := make([]spec.Member, len(v.Members()))
		for i, m := range v.Members() {
			members[i] = spec.Member{Name: m.Name, Value: n.rename(m.Name, m.Value)}
		}
		return spec.ObjectValue(members...)
	default:
		return v
	}
}

func (n *naming) renameText(text string) string {
	var b strings.Builder
	for _, part := range splitWords(text) {
		if r := []rune(part)[0]; !unicode.IsLetter(r) || r > unicode.MaxASCII || isVocabulary(part) {
			b.WriteString(part)
			continue
		}
		b.WriteString(n.number(part))
	}
	return b.String()
}

// number returns what stands for a word. A word that an earlier one spells in other letter cases is marked: that they
// differ in nothing else may be what the case is about.
func (n *naming) number(word string) string {
	i, known := n.words[word]
	if !known {
		i = len(n.words)
		n.words[word] = i
		n.folded[strings.ToLower(word)]++
	}
	return fmt.Sprintf("<%d.%d>", i, n.folded[strings.ToLower(word)])
}

// splitWords cuts a text into runs of letters and what lies between them.
func splitWords(text string) []string {
	var parts []string
	inWord := false
	for _, r := range text {
		if letter := unicode.IsLetter(r); len(parts) == 0 || letter != inWord {
			parts, inWord = append(parts, ""), letter
		}
		parts[len(parts)-1] += string(r)
	}
	return parts
}

var quoted = regexp.MustCompile("`[^`]+`")

// vocabulary holds the words, in lower case, that clauses put in backticks.
var vocabulary = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for _, clause := range spec.Clauses() {
		for _, text := range quoted.FindAllString(clause.Text, -1) {
			for _, word := range splitWords(text) {
				words[strings.ToLower(word)] = true
			}
		}
	}
	return words
})

func isVocabulary(word string) bool { return vocabulary()[strings.ToLower(word)] }
