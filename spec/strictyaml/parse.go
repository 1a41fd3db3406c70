package strictyaml

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/loopstone/loopstone/spec"
)

// Parse reads a document of the dialect. The file's name is only used for places. Everything that is outside the
// dialect is reported, joined, one problem a line.
func Parse(file string, text []byte) (*Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil {
		return nil, syntaxProblem(file, err)
	}
	var second yaml.Node
	if err := dec.Decode(&second); err == nil {
		return nil, &Problem{Place{file, second.Line, second.Column}, "a second document"}
	} else if !errors.Is(err, io.EOF) {
		return nil, syntaxProblem(file, err)
	}
	p := parser{file: file}
	node := p.convert(doc.Content[0])
	return node, errors.Join(p.problems...)
}

var lineInMessage = regexp.MustCompile(`line (\d+)`)

// syntaxProblem gives a syntax error its place. The library tells the line only in its text.
func syntaxProblem(file string, err error) error {
	if errors.Is(err, io.EOF) {
		return &Problem{Place{file, 1, 1}, "the file is empty"}
	}
	place := Place{file, 1, 1}
	if m := lineInMessage.FindStringSubmatch(err.Error()); m != nil {
		place.Line, _ = strconv.Atoi(m[1]) // digits only; a line beyond int cannot be
	}
	return &Problem{place, err.Error()}
}

type parser struct {
	file     string
	problems []error
}

func (p *parser) place(y *yaml.Node) Place { return Place{p.file, y.Line, y.Column} }

func (p *parser) problem(y *yaml.Node, format string, args ...any) {
	p.problems = append(p.problems, p.place(y).Problemf(format, args...))
}

func (p *parser) convert(y *yaml.Node) *Node {
	if y.Anchor != "" || y.Kind == yaml.AliasNode {
		p.problem(y, "anchors and aliases are not part of the dialect")
	}
	if y.Style&yaml.TaggedStyle != 0 {
		p.problem(y, "the tag %s is not part of the dialect", y.Tag)
	}
	n := &Node{Place: p.place(y)}
	switch y.Kind {
	case yaml.ScalarNode:
		p.scalar(n, y)
	case yaml.SequenceNode:
		n.Kind = spec.Array
		for _, item := range y.Content {
			n.Items = append(n.Items, p.convert(item))
		}
	case yaml.MappingNode:
		n.Kind = spec.Object
		p.pairs(n, y)
	}
	return n
}

func (p *parser) pairs(n *Node, y *yaml.Node) {
	seen := map[string]bool{}
	for i := 0; i+1 < len(y.Content); i += 2 {
		key := p.convert(y.Content[i])
		switch {
		case key.Kind != spec.String:
			p.problem(y.Content[i], "a name must be a text; quote it")
		case seen[key.Text]:
			p.problem(y.Content[i], "the name %q stands twice", key.Text)
		}
		seen[key.Text] = true
		n.Pairs = append(n.Pairs, Pair{key.Text, key.Place, p.convert(y.Content[i+1])})
	}
}

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// startsWord reports whether the text begins as a plain text must.
func startsWord(text string) bool {
	return text != "" && (text[0] == '_' || 'a' <= text[0]|0x20 && text[0]|0x20 <= 'z')
}

// ambiguous are the words that some reader of YAML takes for a boolean or null.
var ambiguous = []string{"y", "yes", "n", "no", "on", "off", "true", "false", "null"}

func isAmbiguous(word string) bool {
	return slices.ContainsFunc(ambiguous, func(w string) bool { return strings.EqualFold(w, word) })
}

// plain matches what every reader of YAML takes for a text, except the ambiguous words.
var plain = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*( [A-Za-z0-9_-]+)*$`)

// Quoted returns a text as the dialect writes it: unquoted if every reader takes it for a text, otherwise in double
// quotes. YAML has all escapes of Go, and leaves every character unescaped that Go leaves unescaped.
func Quoted(text string) string {
	if plain.MatchString(text) && !isAmbiguous(text) {
		return text
	}
	return strconv.Quote(text)
}

const quotedStyles = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

func (p *parser) scalar(n *Node, y *yaml.Node) {
	n.Text = y.Value
	switch {
	case y.Style&quotedStyles != 0:
		n.Kind = spec.String
	case y.Value == "true" || y.Value == "false":
		n.Kind = spec.Bool
	case y.Value == "null":
		n.Kind = spec.Null
	case startsWord(y.Value) && !isAmbiguous(y.Value): // most scalars, which no pattern has to be tried on
		n.Kind = spec.String
	case jsonNumber.MatchString(y.Value):
		n.Kind = spec.Number
	case y.Value == "":
		n.Kind = spec.Null
		p.problem(y, "a value is missing")
	default:
		n.Kind = spec.String
		p.problem(y, "quote %q: readers of YAML differ on it", y.Value)
	}
}
