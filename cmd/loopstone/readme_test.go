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
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/spec"
)

// TestTheReadmesFiguresAreThoseOfThePages holds the figures of README.md against the pages that they are taken from.
func TestTheReadmesFiguresAreThoseOfThePages(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	readme := strings.Join(strings.Fields(read(t, filepath.Join(root, "README.md"))), " ")
	for _, want := range readmeFigures(t, read(t, filepath.Join(root, "docs", "results.md"))) {
		if !strings.Contains(readme, want) {
			t.Errorf("by docs/results.md, README.md should say %q", want)
		}
	}
	planted, noticed := plantedHabits(t, read(t, filepath.Join(root, "docs", "dev", "habits.md")))
	said := regexp.MustCompile(`Of (\d+) typical mistakes .* the cases find more than (\d+) %`).FindStringSubmatch(readme)
	if said == nil {
		t.Fatal("README.md does not say how many planted mistakes the cases find")
	}
	number, _ := strconv.Atoi(said[1]) // digits only
	share, _ := strconv.Atoi(said[2])
	if number > planted || noticed*100 <= share*planted {
		t.Errorf("README.md says more than %d %% of %d; the cases notice %d of %d", share, number, noticed, planted)
	}
}

// TestTheReadmeCountsWhatIsSpecified: the detectors, and the agents and frameworks whose detectors are profiles.
func TestTheReadmeCountsWhatIsSpecified(t *testing.T) {
	t.Parallel()
	all, err := profile.All()
	if err != nil {
		t.Fatal(err)
	}
	projects := map[string]bool{}
	for _, p := range all {
		projects[p.Source.Repository] = true
	}
	delete(projects, "loopstone/loopstone")
	readme := strings.Join(strings.Fields(read(t, filepath.Join("..", "..", "README.md"))), " ")
	if want := fmt.Sprintf("the detectors of %d agents and frameworks", len(projects)); !strings.Contains(readme, want) {
		t.Errorf("README.md should say %q", want)
	}
	if len(spec.Detectors()) != 9 || !strings.Contains(readme, "specifies nine detectors") {
		t.Errorf("README.md should say how many detectors are specified: %d", len(spec.Detectors()))
	}
}

// readmeFigures returns what README.md has to say by the table of docs/results.md.
func readmeFigures(t *testing.T, page string) (list []string) {
	t.Helper()
	rated := regexp.MustCompile(`^(\d+) (\(\d+–\d+\))$`)
	rows := map[string][]string{}
	for line := range strings.Lines(page) {
		if cells := strings.Split(line, " | "); len(cells) == 8 {
			rows[strings.TrimPrefix(cells[0], "| ")] = cells
		}
	}
	row := func(name string) (same, inVain, alarms []string) {
		cells := rows[name]
		if cells == nil {
			t.Fatalf("the page has no row of %s", name)
		}
		return rated.FindStringSubmatch(cells[1]), rated.FindStringSubmatch(cells[2]), rated.FindStringSubmatch(cells[3])
	}
	for agent, name := range map[string]string{
		"DeerFlow": "@deer-flow", "Hermes": "@hermes", "Cline": "@cline", "goose": "@goose", "Roo Code": "@roo",
		"gemini-cli": "@gemini-cli", "OpenHands": "@openhands",
	} {
		same, _, alarms := row(name)
		list = append(list, fmt.Sprintf("| %s | %s %% | %s %% |", agent, same[1], alarms[1]))
	}
	// Ours are as on agents that were left out when the rules were chosen.
	words := strings.Join(strings.Fields(page), " ")
	ours := regexp.MustCompile(`the stops find (\S+) % of the \*same\* loops with (\S+) % false alarms; ` +
		`stops and warnings find (\S+) %, and (\S+) % of the loops \*in vain\*, with (\S+) % false alarms\.`).FindStringSubmatch(words)
	if ours == nil {
		t.Fatal("the page does not say what our profile finds on agents that were left out")
	}
	list = append(list,
		fmt.Sprintf("| stops | %s %% | %s %% |", ours[1], ours[2]),
		fmt.Sprintf("| stops and warnings | %s %% | %s %% |", ours[3], ours[5]))
	_, _, wrong := row("crow code")
	list = append(list, fmt.Sprintf("raises false alarms in %s %% of the runs without a loop", wrong[1]))
	_, most, alarms := row("@hermes")
	list = append(list, fmt.Sprintf("the search's rules find %s %% of them, `@hermes` %s %%, with %s %% false alarms",
		ours[4], most[1], alarms[1]))
	sample := regexp.MustCompile(`estimates for ([\d,]+) runs of three agents`).FindStringSubmatch(page)
	labelled := regexp.MustCompile(`(\d+) of these runs`).FindStringSubmatch(page)
	if sample == nil || labelled == nil {
		t.Fatal("the page does not say how many runs its figures are about")
	}
	return append(list, fmt.Sprintf("estimates for %s runs of three agents; language models labelled %s of them",
		sample[1], labelled[1]))
}

// plantedHabits returns how many habits are planted in all ports, and how many of them the cases notice.
func plantedHabits(t *testing.T, page string) (planted, noticed int) {
	t.Helper()
	m := regexp.MustCompile(`(?m)^\| \*\*all\*\* \| (\d+) \| (\d+) \|$`).FindStringSubmatch(page)
	if m == nil {
		t.Fatal("docs/dev/habits.md has no row for all detectors")
	}
	planted, _ = strconv.Atoi(m[1]) // digits only
	noticed, _ = strconv.Atoi(m[2])
	return planted, noticed
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
	names := append(flagsOf(c), "help", "color", "vs") // CHANGELOG.md names --vs, which bench had
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
			if _, ok := spec.ClauseByID(id); !ok && !strings.Contains(text, "\n**"+id+"** (") { // which it tells to add
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
