package main

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/loopstone/loopstone/internal/wording"
)

// sheet is a page of prose on standard output: wrapped, with headings that stand out where there are colours.
type sheet struct {
	io.Writer
	width  int
	colour bool
}

// The limits of a line of prose: longer ones are hard to read, and shorter ones hold no clause.
const (
	widestProse    = 100
	narrowestProse = 40
)

func sheetOf(std streams) sheet {
	width := min(max(widthOf(std, usualProse), narrowestProse), widestProse)
	return sheet{std.out, width, colourful(std)}
}

// usualProse is how wide prose is that goes to no terminal.
const usualProse = 80

// strong returns a text that stands out.
func (s sheet) strong(text string) string {
	if !s.colour {
		return text
	}
	return "\x1b[1m" + text + "\x1b[0m"
}

// heading begins a part of the page.
func (s sheet) heading(text string) {
	fmt.Fprintln(s)
	s.title(text)
}

// title writes a line that stands out, or several if it is long.
func (s sheet) title(text string) {
	for _, line := range wording.Wrap(plainProse(text), s.width) {
		fmt.Fprintln(s, s.strong(line))
	}
}

// text writes prose that is wrapped, its first line behind a label and the others indented as far.
func (s sheet) text(label, prose string) { s.labelled(label, label, prose) }

// entry writes prose as text does, behind a label that stands out.
func (s sheet) entry(label, prose string) { s.labelled(s.strong(label), label, prose) }

func (s sheet) labelled(shown, label, prose string) {
	indent := strings.Repeat(" ", utf8.RuneCountInString(label))
	width := s.width - len(indent)
	for _, line := range wording.Wrap(glued(plainProse(prose), width), width) {
		fmt.Fprintln(s, strings.TrimRight(shown+strings.ReplaceAll(line, glue, " "), " "))
		shown = indent
	}
}

// literal writes lines that are kept as they are, indented so far.
func (s sheet) literal(indent, text string) {
	for line := range strings.Lines(strings.TrimRight(text, "\n")) {
		fmt.Fprintln(s, strings.TrimRight(indent+strings.TrimRight(line, "\n"), " "))
	}
}

var (
	markdownLink = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	emphasised   = regexp.MustCompile(`\*(\pL[\pL '-]*)\*`)
	codeSpan     = regexp.MustCompile("`[^`]*`")
)

// plainProse returns Markdown without what only a browser shows. Code keeps its backquotes.
func plainProse(markdown string) string {
	var b strings.Builder
	last := 0
	markdown = markdownLink.ReplaceAllString(markdown, "$1")
	for _, span := range codeSpan.FindAllStringIndex(markdown, -1) {
		b.WriteString(emphasised.ReplaceAllString(markdown[last:span[0]], "$1") + markdown[span[0]:span[1]])
		last = span[1]
	}
	return b.String() + emphasised.ReplaceAllString(markdown[last:], "$1")
}

// glue stands for a space at which no line may end.
const glue = "\ue000"

// glued glues code together that fits into a line, so that no formula is broken.
func glued(prose string, width int) string {
	return codeSpan.ReplaceAllStringFunc(prose, func(span string) string {
		if utf8.RuneCountInString(span)+2 > width { // with a bracket before it, and a full stop behind it
			return span
		}
		return strings.ReplaceAll(span, " ", glue)
	})
}
