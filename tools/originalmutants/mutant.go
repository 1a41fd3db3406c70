package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// mutant is a source with one change.
type mutant struct {
	Line, Column int    // of the change, from 1; the column in bytes
	Old, New     string // the text that is changed, and what it is changed to

	from, to int // bytes of the source
}

// String returns a mutant as the table of survivors names it.
func (m mutant) String() string {
	return fmt.Sprintf("%d:%d: %q -> %q", m.Line, m.Column, m.Old, m.New)
}

// in returns the source with the change.
func (m mutant) in(text string) string { return text[:m.from] + m.New + text[m.to:] }

// span is the first and the last of some lines, from 1.
type span struct{ first, last int }

// mutants returns every mutant of the lines of a source, in the order of their places.
func mutants(s syntax, text string, lines []span) []mutant {
	b := builder{text: text, tokens: s.tokens(text), isPython: s.blank == python.blank}
	for i := range b.tokens {
		b.token(i)
	}
	for _, st := range b.statements() {
		b.drop(st)
	}
	b.operands()
	list := slices.DeleteFunc(b.found, func(m mutant) bool {
		return !slices.ContainsFunc(lines, func(l span) bool { return l.first <= m.Line && m.Line <= l.last })
	})
	slices.SortStableFunc(list, func(x, y mutant) int { return cmp.Compare(x.from, y.from) })
	return slices.CompactFunc(list, func(x, y mutant) bool { return x == y })
}

// builder collects the mutants of a source.
type builder struct {
	text     string
	tokens   []token
	isPython bool
	found    []mutant
}

// add adds a mutant in which the bytes from, to are another text.
func (b *builder) add(from, to int, now string) {
	line := 1 + strings.Count(b.text[:from], "\n")
	column := from - strings.LastIndexByte(b.text[:from], '\n')
	b.found = append(b.found, mutant{Line: line, Column: column, Old: b.text[from:to], New: now, from: from, to: to})
}

// others has the texts that a sign or word is replaced by; a binary sign stands between blanks.
var others = map[string][]string{
	"===": {"!=="}, "!==": {"==="}, "==": {"!="}, "!=": {"=="},
	"<": {"<=", ">"}, "<=": {"<", ">="}, ">": {">=", "<"}, ">=": {">", "<="},
	"&&": {"||"}, "||": {"&&"}, "and": {"or"}, "or": {"and"},
	"+": {"-"}, "-": {"+"}, "*": {"+"}, "/": {"*"}, "%": {"+"}, "+=": {"-=", "="}, "-=": {"+="}, "++": {"--"},
	"true": {"false"}, "false": {"true"}, "True": {"False"}, "False": {"True"},
	"min": {"max"}, "max": {"min"}, "floor": {"ceil"}, "all": {"any"}, "reversed": {"list"}, "break": {"continue"},
	"??": {"&&"},
}

// token adds the mutants of one token.
func (b *builder) token(i int) {
	t := b.tokens[i]
	switch t.sort {
	case number:
		if n, err := strconv.Atoi(t.text); err == nil {
			b.add(t.from, t.to, strconv.Itoa(n+1))
			if n > 0 {
				b.add(t.from, t.to, strconv.Itoa(n-1))
			}
		}
	case literal:
		b.holes(t)
	case pattern:
		b.expression(t)
	case word:
		b.replace(t)
		b.condition(i)
	case sign:
		switch {
		case strings.Contains("<>+-*/%", t.text) && !b.isBetweenBlanks(t): // a type, or a sign before a value
			if t.text == "-" {
				b.add(t.from, t.to, "")
			}
		case t.text == "!":
			b.add(t.from, t.to, "")
		default:
			b.replace(t)
		}
	}
}

func (b *builder) isBetweenBlanks(t token) bool {
	isBlank := func(at int) bool {
		return at >= 0 && at < len(b.text) && strings.ContainsRune(" \n\t", rune(b.text[at]))
	}
	return isBlank(t.from-1) && isBlank(t.to)
}

func (b *builder) replace(t token) {
	for _, other := range others[t.text] {
		b.add(t.from, t.to, other)
	}
	switch {
	case !b.isPython:
	case t.text == "not":
		b.add(t.from, t.to+1, "")
	case t.text == "is":
		b.add(t.from, t.to, "is not")
	}
}

// condition adds the mutants of a condition: it always holds, it never does, or it is turned round.
func (b *builder) condition(i int) {
	t := b.tokens[i]
	if t.text != "if" && t.text != "elif" && t.text != "while" || i+1 >= len(b.tokens) {
		return
	}
	from, to, yes, no, turned := b.tokens[i+1].from, 0, "true", "false", "!(%s)"
	if b.isPython {
		end := b.colon(i + 1)
		if end < 0 {
			return // an if within an expression
		}
		to, yes, no, turned = b.tokens[end-1].to, "True", "False", "not (%s)"
	} else {
		end := closing(b.tokens, i+1)
		from, to = b.tokens[i+1].to, b.tokens[end].from
	}
	if t.text != "while" {
		b.add(from, to, yes)
	}
	b.add(from, to, no)
	b.add(from, to, fmt.Sprintf(turned, b.text[from:to]))
}

// colon returns the index of the colon that ends a condition of Python; -1 if there is none.
func (b *builder) colon(i int) int {
	for ; i < len(b.tokens); i++ {
		t := b.tokens[i]
		switch {
		case t.sort == sign && strings.Contains("([{", t.text):
			i = closing(b.tokens, i)
		case t.sort == sign && t.text == ":":
			return i
		case t.sort == word && t.text == "else", t.sort == sign && strings.Contains(")]}", t.text):
			return -1
		}
	}
	return -1
}

var (
	holesOf = regexp.MustCompile(`\$?\{[^{}]*\}`)
	// quantifiers, anchors, classes (which are left alone) and alternatives of a regular expression
	partsOf = regexp.MustCompile(`\\.|\[(?:[^\]\\]|\\.)*\]|[*+?]|\{\d+,?\d*\}|\^|\$|\|[^|()]+`)
)

// holes adds a mutant for each value that stands in a text: the text without it.
func (b *builder) holes(t token) {
	if !strings.HasPrefix(t.text, "`") && !strings.HasPrefix(t.text, "f") {
		return
	}
	for _, h := range holesOf.FindAllStringIndex(t.text, -1) {
		b.add(t.from+h[0], t.from+h[1], "")
	}
}

// expression adds the mutants of a regular expression: without a quantifier, an anchor, an alternative, the flags.
func (b *builder) expression(t token) {
	end := strings.LastIndexByte(t.text, '/')
	for _, p := range partsOf.FindAllStringIndex(t.text[:end], -1) {
		if part := t.text[p[0]:p[1]]; part[0] != '\\' && part[0] != '[' {
			b.add(t.from+p[0], t.from+p[1], "")
		}
	}
	if end+1 < len(t.text) {
		b.add(t.from+end+1, t.to, "")
	}
}
