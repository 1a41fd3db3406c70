package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/loopstone/loopstone/spec"
)

// Parse reads a document of the dialect. The file's name is only used for places. Everything that is outside the
// dialect is reported, joined, one problem a line.
func Parse(file string, text []byte) (*Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc yaml.Node
	if err := dec.Decode(&doc); err != nil {
		return nil, syntaxProblem(file, text, err)
	}
	var second yaml.Node
	if err := dec.Decode(&second); err == nil {
		return nil, &Problem{Place{file, second.Line, second.Column}, "a second document"}
	} else if !errors.Is(err, io.EOF) {
		return nil, syntaxProblem(file, text, err)
	}
	p := parser{file: file}
	node := p.convert(doc.Content[0])
	return node, errors.Join(p.problems...)
}

// The library tells the line, and what is wrong, only in its text.
var (
	lineInMessage = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)
	noToken       = "found character that cannot start any token"
)

// syntaxProblem gives a syntax error its place.
func syntaxProblem(file string, text []byte, err error) error {
	if errors.Is(err, io.EOF) {
		return &Problem{Place{file, 1, 1}, "the file is empty"}
	}
	place := Place{file, 1, 1}
	m := lineInMessage.FindStringSubmatch(err.Error())
	if m != nil && m[1] != "" {
		place.Line, _ = strconv.Atoi(m[1]) // digits only; a line beyond int cannot be
	} else if before, problem := unreadable(text); problem != "" {
		return &Problem{endOf(file, before), problem}
	}
	message := lineInMessage.ReplaceAllString(err.Error(), "")
	if message == noToken {
		message += "; quote a text that begins with @, % or `, and indent with spaces"
	}
	return &Problem{place, message}
}

// unreadable returns what is wrong with the first byte or character that no YAML text has, and the text before it. The
// library does not say where that is.
func unreadable(text []byte) (before []byte, problem string) {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return text[:i], fmt.Sprintf("the byte 0x%02x is not UTF-8", text[i])
		case unicode.IsControl(r) && !strings.ContainsRune("\t\n\r\u0085", r), r == '\uFFFE', r == '\uFFFF':
			return text[:i], fmt.Sprintf("the character %U is not allowed; write it as an escape in quotes", r)
		}
		i += size
	}
	return nil, ""
}

// endOf returns the place right after a text.
func endOf(file string, text []byte) Place {
	lastLine := text[bytes.LastIndexByte(text, '\n')+1:]
	return Place{file, bytes.Count(text, []byte("\n")) + 1, utf8.RuneCount(lastLine) + 1}
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
			p.problem(y.Content[i], "the name %q is there twice", key.Text)
		}
		seen[key.Text] = true
		n.Pairs = append(n.Pairs, Pair{key.Text, key.Place, p.convert(y.Content[i+1])})
	}
}

const quotedStyles = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

func (p *parser) scalar(n *Node, y *yaml.Node) {
	n.Text, n.Kind = y.Value, spec.String
	switch {
	case y.Style&quotedStyles != 0:
	case y.Value == "":
		n.Kind = spec.Null
		p.problem(y, "a value is missing")
	default:
		kind, remedy := meaningOf(y.Value)
		n.Kind = kind
		if remedy != "" {
			p.problem(y, "readers of YAML differ on %s; %s", y.Value, remedy)
		}
	}
}
