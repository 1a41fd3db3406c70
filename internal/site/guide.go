package main

import (
	"context"
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
		return repository + place + anchor
	}
}

// install is how the tool is installed, as README has it.
const install = "git clone https://github.com/loopstone/loopstone\ncd loopstone && go install ./cmd/loopstone"

// home is the first page: what this is, a loop as the playground shows it, and the ways in.
func (s *site) home(ctx context.Context) (string, error) {
	loop, err := trace{detector: spec.History, reading: spec.Code, events: stuck()}.judged(ctx)
	if err != nil {
		return "", fmt.Errorf("judge the loop of the first page: %w", err)
	}
	var b strings.Builder
	b.WriteString(front("Loopstone"))
	b.WriteString(`# The conformance suite for agent loop detectors

AI agents get stuck: they repeat a call, alternate between two calls, or talk without acting. Loopstone specifies, clause by clause,
what detectors of such loops do, and tests implementations in any language.

`)
	fmt.Fprintf(&b, "To install it, with Go 1.26:\n\n%s\n", fenced("sh", install))
	fmt.Fprintf(&b, "[Porting](/docs/porting) continues from there. [Source and issues](%s)\n\n",
		strings.TrimSuffix(repository, "/blob/main/"))
	b.WriteString("## A loop\n\n")
	b.WriteString(loop.picture(fmt.Sprintf("After event %d, %s reports a loop", loop.first()+1,
		loop.detector)) + "\n")
	fmt.Fprintf(&b, "[Open it in the playground](%s) and change it, or [paste a log of your own](/playground).\n\n",
		loop.link())
	b.WriteString(replayed + questions)
	s.writeDetectors(&b)
	b.WriteString("\n## Profiles\n\nDetectors of known agents, each as a configuration of `composed` or `stream`.\n\n")
	b.WriteString(s.profileTable(spec.Composed, spec.Stream))
	b.WriteString("\n## Claims\n\n")
	for _, d := range s.documents {
		fmt.Fprintf(&b, "- [%s](/claims/%s): %s\n", d.ID, d.ID, prose(d.Title))
	}
	return b.String(), nil
}

// stuck is what an agent does that runs the same failing test again and again.
func stuck() []spec.Value {
	call := spec.MustParse(`{"type":"tool_call","tool":"Bash","args":{"command":"npm test"}}`)
	result := spec.MustParse(`{"type":"tool_result","ok":false,"content":"1 failed"}`)
	return []spec.Value{call, result, call, result, call}
}

// replayed shows the same of a whole run, at a terminal.
const replayed = `## A replay

Replay a log of your own agent, and see which detectors would have reported a loop, and when. [Recordings](/docs/recordings) has more.

![Lanes of six detectors over 46 events: three raise an alarm, at calls 7, 9 and 15; three do not](/replay.svg)

`

// questions leads each kind of reader to a page.
const questions = `## By question

- Why was my agent stopped? Put its log into the [playground](/playground); [recordings](/docs/recordings) names the formats.
- Which detector should I use? [How to choose](/docs/choosing), [known agents' detectors](/docs/field), [real runs](/docs/real-runs).
- How do I add a detector to my agent? [In an agent](/docs/agent).
- Is my port right? [Porting](/docs/porting), [the protocol](/docs/protocol), [CI](/docs/ci).
- Which implementations are there, and how do they score? [Implementations](/implementations).
- How much does the suite prove? [How strong the cases are](/docs/dev/strength), [what a guess scores](/docs/dev/floor).
- Is a document right? [What documents claim](/docs/documents).
- How do I add a case? [The format of cases](/docs/cases).

`

// writeDetectors lists the detectors; other pages link to this heading.
func (s *site) writeDetectors(b *strings.Builder) {
	b.WriteString("## Detectors\n\n| detector | what it looks for | readings | clauses |\n|---|---|---|---|\n")
	for _, d := range spec.Detectors() {
		fmt.Fprintf(b, "| %s | %s | %s ", detectorLink(d.ID), cell(d.Title), list(d.Readings, quoted))
		fmt.Fprintf(b, "| [%s](/spec/%s) |\n", d.Prefix, d.ID)
	}
	fmt.Fprintf(b, "\nThe [protocol](/spec/protocol) has clauses too. In all, %d clauses and %d cases.\n",
		len(spec.Clauses()), len(s.suite))
}
