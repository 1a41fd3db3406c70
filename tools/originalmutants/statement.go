package main

import (
	"regexp"
	"strings"
)

// statement is the tokens from one index up to another, of which it does not have the last.
type statement struct{ from, to int }

// kept are the words with which begins what cannot be left out by itself: a declaration, or the head of a block.
var kept = map[string]bool{
	"const": true, "let": true, "import": true, "export": true, "private": true, "readonly": true, "case": true,
	"default": true, "for": true, "if": true, "elif": true, "else": true, "while": true, "switch": true, "def": true,
	"class": true, "try": true, "except": true, "with": true, "from": true, "pass": true, "async": true, "function": true,
	"assert": true, "public": true,
}

// statements returns the simple statements.
func (b *builder) statements() []statement {
	if b.isPython || !strings.Contains(b.text, ";\n") {
		return b.logicalLines()
	}
	var list []statement
	start, depth := 0, 0
	for i, t := range b.tokens {
		if t.sort != sign {
			continue
		}
		switch t.text {
		case "(", "[":
			depth++
		case ")", "]":
			depth--
		case "{", "}", ";":
			if depth > 0 {
				continue
			}
			if t.text == ";" && i > start {
				list = append(list, statement{start, i + 1})
			}
			start = i + 1
		}
	}
	return list
}

// logicalLines returns the simple statements of a source without semicolons: lines, and further ones within brackets.
func (b *builder) logicalLines() []statement {
	var list []statement
	for i := 0; i < len(b.tokens); {
		end := i + 1
		for j := i; j < len(b.tokens) && (j == i || !b.breaks(j)); j++ {
			if t := b.tokens[j]; t.sort == sign && strings.Contains("([", t.text) || b.isPython && t.text == "{" {
				j = closing(b.tokens, j)
			}
			end = j + 1
		}
		if isBlock := strings.Contains(":{}", b.tokens[end-1].text); !isBlock {
			list = append(list, statement{i, end})
		}
		i = end
	}
	return list
}

// breaks reports whether a line, and not only a part of it, ends between a token and the one before.
func (b *builder) breaks(i int) bool {
	before, after := b.tokens[i-1].text, b.tokens[i].text
	goesOn := !b.isPython && (strings.Contains("&&||=+?", before) || strings.Contains(".&&||?:", after))
	return strings.Contains(b.text[b.tokens[i-1].to:b.tokens[i].from], "\n") && !goesOn
}

// drop adds the mutant without a statement.
func (b *builder) drop(s statement) {
	first := b.tokens[s.from]
	if kept[first.text] || first.sort == literal || first.text == "@" {
		return
	}
	nothing := ""
	if b.isPython {
		nothing = "pass"
	}
	b.add(first.from, b.tokens[s.to-1].to, nothing)
}

// operand matches a line that is one operand of several, or one member of an object.
var operand = regexp.MustCompile(`(?m)^[ \t]+((and|or|&&|\|\|) .*|.*[^ ] (&&|\|\|)|\w+: [\w.]+,)$`)

// operands adds a mutant for each line that is an operand or a member: the source without it.
func (b *builder) operands() {
	for _, at := range operand.FindAllStringIndex(b.text, -1) {
		b.add(at[0], at[1], "")
	}
}
