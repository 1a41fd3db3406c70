package main

import (
	"context"
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
	return eachMarkdown(docs.Files, func(name, text string) { s.pages["docs/"+name] = guide("docs/"+name, text) })
}

// link matches the target of a link in Markdown.
var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// picture matches the line of a guide that shows a picture: its file for light pages, and what it shows.
var picture = regexp.MustCompile(`^<picture>.*<img src="([^"]+)" alt="([^"]+)"></picture>\n$`)

// guide returns a Markdown file of the repository as a page: its links lead to pages, or into the repository.
func guide(file, text string) string {
	var b strings.Builder
	open := false // within a block of literal text
	for line := range strings.Lines(text) {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		open = open != fence
		if m := picture.FindStringSubmatch(line); m != nil && !open {
			fmt.Fprintf(&b, "![%s](/%s)\n", m[2], path.Base(m[1]))
			continue
		}
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
	case isPage(place):
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

// isPage reports whether a file of the repository is a guide that the site has.
func isPage(place string) bool {
	name, isOfDocs := strings.CutPrefix(place, "docs/")
	_, err := fs.Stat(docs.Files, name)
	return isOfDocs && strings.HasSuffix(name, ".md") && err == nil
}

// install is how the tool is installed, as README has it.
const install = "git clone https://github.com/loopstone/loopstone\ncd loopstone && go install ./cmd/loopstone"

// stuck is what an agent does that runs the same failing test again and again.
func stuck() (trace, error) {
	call := spec.MustParse(`{"type":"tool_call","tool":"Bash","args":{"command":"npm test"}}`)
	result := spec.MustParse(`{"type":"tool_result","ok":false,"content":"1 failed"}`)
	events := []spec.Value{call, result, call, result, call}
	return trace{Detector: spec.History, Reading: spec.Code, Events: events}.judged(context.Background())
}
