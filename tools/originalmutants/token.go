package main

import (
	"regexp"
	"strings"
)

// token is a word, number, text or sign of a source; comments and blanks are none.
type token struct {
	sort     sort
	from, to int // bytes of the source
	text     string
}

type sort int

const (
	word sort = iota
	number
	literal // a text, with its quotes
	pattern // a regular expression between slashes, with its flags
	sign
)

// syntax is what the tokens of a language are made of. Each expression matches at a place in the source.
type syntax struct {
	blank *regexp.Regexp // and comments
	kinds []kind         // the first that matches is taken
}

type kind struct {
	sort sort
	is   *regexp.Regexp
}

const (
	words   = `^[A-Za-z_$][\w$]*`
	numbers = `^\d[\d_]*(\.\d+)?`
)

var typescript = syntax{
	blank: regexp.MustCompile(`^(\s+|//[^\n]*|(?s:/\*.*?\*/))`),
	kinds: []kind{
		{literal, regexp.MustCompile("^(`(?:[^`\\\\]|\\\\.)*`|'(?:[^'\\\\\n]|\\\\.)*'|\"(?:[^\"\\\\\n]|\\\\.)*\")")},
		{word, regexp.MustCompile(words)},
		{number, regexp.MustCompile(numbers)},
		{pattern, regexp.MustCompile(`^/(?:[^/\\\[\n ]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*`)},
		{sign, regexp.MustCompile(`^(===|!==|<=|>=|=>|\?\?|&&|\|\||\+\+|--|[-+*/%]=|.)`)},
	},
}

var python = syntax{
	blank: regexp.MustCompile(`^(\s+|#[^\n]*)`),
	kinds: []kind{
		{literal, regexp.MustCompile(`^[rbfu]{0,2}((?s:""".*?""")|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")`)},
		{word, regexp.MustCompile(words)},
		{number, regexp.MustCompile(numbers)},
		{sign, regexp.MustCompile(`^(==|!=|<=|>=|->|//|\*\*|[-+*/%]=|.)`)},
	},
}

// tokens returns the tokens of a source.
func (s syntax) tokens(text string) []token {
	var list []token
	for at := 0; at < len(text); {
		if n := len(s.blank.FindString(text[at:])); n > 0 {
			at += n
			continue
		}
		t := s.next(text, at)
		list = append(list, t)
		at = t.to
	}
	return list
}

func (s syntax) next(text string, at int) token {
	for _, k := range s.kinds {
		if found := k.is.FindString(text[at:]); found != "" {
			return token{k.sort, at, at + len(found), found}
		}
	}
	return token{sign, at, at + 1, text[at : at+1]} // what is no UTF-8
}

// closing returns the index of the bracket that closes the one at an index; the last token if there is none.
func closing(list []token, open int) int {
	depth := 0
	for i := open; i < len(list); i++ {
		if list[i].sort != sign {
			continue
		}
		if strings.Contains("([{", list[i].text) {
			depth++
		}
		if strings.Contains(")]}", list[i].text) {
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(list) - 1
}
