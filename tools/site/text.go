package main

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// code matches what stands between backquotes.
var code = regexp.MustCompile("`[^`]*`")

// prose returns a text of the project as Markdown of the site: what looks like a tag or a template is text, and what
// stands between backquotes stays as it is.
func prose(text string) string {
	return outsideCode(text, func(plain string) string {
		return emphasis.ReplaceAllString(escaper.Replace(plain), "*$1*")
	})
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", "{{", "&#123;&#123;", "*", `\*`, "_", `\_`, "[", `\[`)

// emphasis matches words between asterisks, once these are escaped.
var emphasis = regexp.MustCompile(`\\\*(\pL[\pL ]*)\\\*`)

func outsideCode(text string, change func(string) string) string {
	var b strings.Builder
	last := 0
	for _, span := range code.FindAllStringIndex(text, -1) {
		b.WriteString(change(text[last:span[0]]) + text[span[0]:span[1]])
		last = span[1]
	}
	return b.String() + change(text[last:])
}

// cell returns a text for a cell of a table.
func cell(text string) string { return strings.ReplaceAll(prose(text), "|", `\|`) }

// tag returns a text for HTML that Vue compiles, where two braces begin a template.
func tag(text string) string {
	return strings.NewReplacer("{", "&#123;", "\n", " ").Replace(html.EscapeString(text))
}

// fenced returns a block of literal text, in a fence that is longer than any within.
func fenced(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fmt.Sprintf("%s%s\n%s\n%s\n", fence, language, strings.TrimSuffix(text, "\n"), fence)
}

// front returns the head of a page with its title.
func front(title string) string {
	return fmt.Sprintf("---\ntitle: %s\n---\n\n", spec.StringValue(title))
}

func clauseLink(id string) string { return fmt.Sprintf("[%s](/c/%s)", id, id) }

// caseLink links to a case of the suite; one that stands for a law has no page.
func (s *site) caseLink(id string) string {
	if slices.ContainsFunc(s.suite, func(c cases.Case) bool { return c.ID == id }) {
		return fmt.Sprintf("[%s](/case/%s)", id, id)
	}
	return quoted(id)
}

func detectorLink(id spec.DetectorID) string {
	if id == cases.Protocol {
		return "[protocol](/spec/protocol)"
	}
	return fmt.Sprintf("[%s](/detector/%s)", id, id)
}

// source returns a link to a file of the repository, at a line.
func source(file string, line int) string {
	return fmt.Sprintf("[%s:%d](%s%s#L%d)", file, line, repository, file, line)
}

func quoted(name string) string { return "`" + name + "`" }
