package site

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/docs"
	"github.com/loopstone/loopstone/spec"
)

// guides makes pages of the files of docs, and of the README of the cases.
func (s *site) guides() error {
	readme, err := fs.ReadFile(cases.Files(), "README.md")
	if err != nil {
		return fmt.Errorf("read the guide to cases: %w", err)
	}
	s.pages["docs/cases.md"] = guide("cases/README.md", string(readme))
	err = eachMarkdown(docs.Files, func(name, text string) { s.pages["docs/"+name] = guide("docs/"+name, text) })
	return errors.Join(err, s.plot("docs/dev/strength.md", kills), s.plot("docs/dev/floor.md", floors))
}

// link matches the target of a link in Markdown.
var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// guide returns a Markdown file of the repository as a page: its links lead to pages, or into the repository.
func guide(file, text string) string {
	var b strings.Builder
	open := false // within a block of literal text
	for line := range strings.Lines(text) {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		open = open != fence
		if !open && !fence {
			line = link.ReplaceAllStringFunc(line, func(target string) string {
				return "](" + rebase(file, target[2:len(target)-1]) + ")"
			})
			line = outsideCode(line, func(plain string) string {
				if strings.HasPrefix(plain, "<!--") {
					return plain
				}
				return strings.NewReplacer("<", "&lt;", "{{", "&#123;&#123;").Replace(plain)
			})
		}
		b.WriteString(line)
	}
	return b.String()
}

// rebase returns where a link of a file leads on the site.
func rebase(file, target string) string {
	if strings.HasPrefix(target, "#") || strings.HasPrefix(target, "/") || strings.Contains(target, "://") {
		return target
	}
	target, anchor, found := strings.Cut(target, "#")
	if found {
		anchor = "#" + anchor
	}
	place := path.Join(path.Dir(file), target)
	name, isGuide := strings.CutSuffix(place, ".md")
	switch {
	case isGuide && strings.HasPrefix(name, "docs/"):
		return "/" + name + anchor
	case place == "cases/README.md":
		return "/docs/cases" + anchor
	case isGuide && strings.HasPrefix(name, "spec/clauses/"):
		return "/spec/" + path.Base(name) + anchor
	case place == "spec/clauses":
		return "/#detectors"
	default:
		return Repository + place + anchor
	}
}

// home is the first page: the detectors, and where each kind of reader begins.
func (s *site) home() string {
	var b strings.Builder
	b.WriteString(front("Loopstone"))
	b.WriteString(`# The touchstone for agent loop detectors

AI agents get stuck: they repeat a call, alternate between two, talk without acting. Here stands what documented detectors
of such loops do, clause by clause. In the playground you try them on a trace of your own.

[Open the playground](/playground)

## Detectors

| detector | what it looks for | readings | clauses |
|---|---|---|---|
`)
	for _, d := range spec.Detectors() {
		fmt.Fprintf(&b, "| %s | %s | %s ", detectorLink(d.ID), cell(d.Title), list(d.Readings, quoted))
		fmt.Fprintf(&b, "| [%s](/spec/%s) |\n", d.Prefix, d.ID)
	}
	b.WriteString("\n## Profiles\n\nDetectors that agents of the field run, each as a configuration of `composed`.\n\n")
	b.WriteString(s.profileTable())
	fmt.Fprintf(&b, `
The [protocol](/spec/protocol) has clauses too. In all, %d clauses and %d cases.

## Where to begin

- You port a detector: [porting](/docs/porting), then [the protocol](/docs/protocol).
- You keep a port right: [CI](/docs/ci), [limits of the suite](/docs/dev/strength), [the score of a guess](/docs/dev/floor).
- You choose a detector: the pages above, [the choice](/docs/choosing), [the field](/docs/field), [real runs](/docs/real-runs),
  [what documents claim](/docs/documents).
- You have a log of an agent: the [playground](/playground), then [recordings](/docs/recordings).
- You add a case: [the format of cases](/docs/cases).

## Claims

`, len(spec.Clauses()), len(s.suite))
	for _, d := range s.documents {
		fmt.Fprintf(&b, "- [%s](/claims/%s): %s\n", d.ID, d.ID, prose(d.Title))
	}
	return b.String()
}
