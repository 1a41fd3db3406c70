package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/spec"
)

// TestTheReadmesFiguresAreThoseOfThePage holds the figures of README.md against the table of docs/real-runs.md that they
// are taken from.
func TestTheReadmesFiguresAreThoseOfThePage(t *testing.T) {
	t.Parallel()
	readme := strings.Join(strings.Fields(read(t, filepath.Join("..", "..", "README.md"))), " ")
	page := read(t, filepath.Join("..", "..", "docs", "real-runs.md"))
	row := func(detector string) (found, loops, alarms, healthy int) {
		m := regexp.MustCompile(`(?m)^\| ` + detector + ` \| (\d+) of (\d+) \([^|]*\| (\d+) of (\d+) \(`).FindStringSubmatch(page)
		if m == nil {
			t.Fatalf("the page has no row of %s", detector)
		}
		var n [4]int
		for i := range n {
			n[i], _ = strconv.Atoi(m[i+1]) // digits only
		}
		return n[0], n[1], n[2], n[3]
	}
	found, loops, alarms, healthy := row("history code")
	crowFound, _, crowAlarms, _ := row("crow code")
	if crowAlarms != 0 {
		t.Errorf("crow code stops %d healthy runs, and README.md says none", crowAlarms)
	}
	for _, want := range []string{
		fmt.Sprintf("were tested on %d runs of real agents", loops+healthy),
		fmt.Sprintf("`history` finds %d of %d loops, but would also have stopped %d of %d healthy runs", found, loops, alarms, healthy),
		fmt.Sprintf("`crow`, ported from its example code, would have stopped no healthy run, but misses %d loops", loops-crowFound),
	} {
		if !strings.Contains(readme, want) {
			t.Errorf("by docs/real-runs.md, README.md should say %q", want)
		}
	}
}

// calledTool matches a call of the tool where a page shows one: in a block, or between backquotes.
var calledTool = regexp.MustCompile("(?m)(?:^\\s*(?:- run: |- )?|`)loopstone ([a-z][^`\n#|]*)")

// TestPagesCallTheToolAsItIs: every command that a page shows is one, with every flag that stands before the port's own.
func TestPagesCallTheToolAsItIs(t *testing.T) {
	t.Parallel()
	root, _ := newRoot(&streams{}, nil)
	root.InitDefaultHelpCmd()
	calls := 0
	for _, page := range pages(t) {
		for _, m := range calledTool.FindAllStringSubmatch(read(t, page), -1) {
			words := strings.Fields(m[1])
			command, _, err := root.Find(words[:1])
			if err != nil || command == root {
				t.Errorf("%s: %q is no command: %q", page, words[0], m[0])
				continue
			}
			calls++
			for _, word := range words[1:] {
				if word == "--" {
					break
				}
				name, isFlag := strings.CutPrefix(word, "--")
				name, _, _ = strings.Cut(name, "=")
				if isFlag && !slices.Contains(flagNames(command), strings.Trim(name, ".,;:)]")) {
					t.Errorf("%s: %s has no flag --%s: %q", page, words[0], name, m[0])
				}
			}
		}
	}
	if calls < 50 {
		t.Errorf("found %d calls only", calls)
	}
}

// namedFlag matches a flag that a page names alone, between backquotes.
var namedFlag = regexp.MustCompile("`--([a-z][a-z-]+)[^`]*`")

// TestPagesNameFlagsThatThereAre: a flag without its command is one of some command, or of a program that the page is about.
func TestPagesNameFlagsThatThereAre(t *testing.T) {
	t.Parallel()
	others := []string{"output-format"} // of Claude Code
	root, _ := newRoot(&streams{}, nil)
	for _, command := range root.Commands() {
		others = append(others, flagNames(command)...)
		for _, sub := range command.Commands() {
			others = append(others, flagNames(sub)...)
		}
	}
	for _, page := range pages(t) {
		for _, m := range namedFlag.FindAllStringSubmatch(read(t, page), -1) {
			if !slices.Contains(others, m[1]) {
				t.Errorf("%s names the flag --%s, which there is not", page, m[1])
			}
		}
	}
}

func flagNames(c *cobra.Command) []string {
	names := append(flagsOf(c), "help", "color", "vs") // vs stands among the words of bench
	for _, sub := range c.Commands() {
		names = append(names, flagsOf(sub)...)
	}
	return names
}

// pages returns the pages that people read.
func pages(t *testing.T) []string {
	t.Helper()
	root := filepath.Join("..", "..")
	var list []string
	for _, folder := range []string{"docs", "docs/dev"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(folder), "*.md"))
		if err != nil || len(found) == 0 {
			t.Fatalf("no pages in %s: %v", folder, err)
		}
		list = append(list, found...)
	}
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "cases/README.md", "benchmarks/README.md"} {
		list = append(list, filepath.Join(root, filepath.FromSlash(name)))
	}
	return list
}

// TestPagesAreMerged: no page has the marks of a merge that nobody finished.
func TestPagesAreMerged(t *testing.T) {
	t.Parallel()
	unfinished := regexp.MustCompile(`(?m)^(<{7} .*|={7}|>{7} .*)$`)
	for _, page := range pages(t) {
		if found := unfinished.FindString(read(t, page)); found != "" {
			t.Errorf("%s has the line %q", page, found)
		}
	}
}

// TestPagesNameWhatThereIs: who reads of a case or a clause in a guide can ask for it by that name.
func TestPagesNameWhatThereIs(t *testing.T) {
	t.Parallel()
	suite, err := builtInSuite()
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, c := range slices.Concat(suite, fuzz.Cases()) {
		ids = append(ids, c.ID)
	}
	cases, clauses := 0, 0
	for _, page := range pages(t) {
		text := read(t, page)
		for _, m := range namedCase.FindAllStringSubmatch(text, -1) {
			_, isClause := spec.ClauseByID(strings.ToUpper(m[1])) // show takes small letters, too
			if cases++; !isClause && !slices.Contains(ids, m[1]) && !strings.Contains(m[1], "found-") {
				t.Errorf("%s names the case %s, which there is not", page, m[1])
			}
		}
		for _, id := range namedClause.FindAllString(text, -1) {
			clauses++
			if _, ok := spec.ClauseByID(id); !ok {
				t.Errorf("%s names the clause %s, which there is not", page, id)
			}
		}
	}
	if cases == 0 || clauses == 0 {
		t.Errorf("found %d names of cases and %d of clauses", cases, clauses)
	}
}

// What a page names: a case where one is selected, listed or shown as failed; a clause by the prefix of its detector.
var (
	namedCase   = regexp.MustCompile(`(?:FAILED |--case |- case: |loopstone show )([a-z]+-[a-z0-9-]+)`)
	namedClause = regexp.MustCompile(`\b(?:PR|FP|SG|HI|CR|SW|RA|GU|CO)-[0-9]+\b`)
)
