//go:build !js

// A browser is not given the sources: they would be a tenth of what it loads.

package reference

import (
	"embed"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed */*.go */*/*.go
var sourceFiles embed.FS

// Passage is where the reference carries out a clause: the lines of a file that name it, with what follows from them.
type Passage struct {
	File string // below the module, such as reference/history/rules.go
	Line int    // of the first of the lines, from 1
	Code string // without the indentation that all lines share; lines end in \n
}

// Passages returns where the reference carries out a clause, such as "HI-13": first the rules, then the rest. It
// returns none where no line names the clause.
func Passages(clause string) []Passage { return passages()[clause] }

// clauseID matches the id of a clause.
var clauseID = regexp.MustCompile(`\b[A-Z]{2}-[0-9]+\b`)

var passages = sync.OnceValue(func() map[string][]Passage {
	found := map[string][]Passage{}
	for _, path := range sourcePaths() {
		text, err := fs.ReadFile(sourceFiles, path)
		if err != nil {
			panic(err) // the file is part of the program
		}
		for id, list := range passagesOf("reference/"+path, strings.Split(string(text), "\n")) {
			found[id] = append(found[id], list...)
		}
	}
	return found
})

// sourcePaths lists the files of the reference, tests left out, the rules first.
func sourcePaths() []string {
	var paths []string
	for _, pattern := range []string{"*/*.go", "*/*/*.go"} {
		list, err := fs.Glob(sourceFiles, pattern)
		if err != nil {
			panic(err) // the pattern is a constant
		}
		paths = append(paths, list...)
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return strings.HasSuffix(path, "_test.go") })
	slices.SortStableFunc(paths, func(a, b string) int { return rank(a) - rank(b) })
	return paths
}

// rank orders the files of a detector: its rules first.
func rank(path string) int {
	if strings.Contains(path, "/rules") {
		return 0
	}
	return 1
}

// passagesOf finds the clauses that a file names in its comments.
func passagesOf(file string, lines []string) map[string][]Passage {
	found := map[string][]Passage{}
	start := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "package ") })
	for i, line := range lines {
		if i < start {
			continue // the package's documentation tells the whole
		}
		_, comment, _ := strings.Cut(line, "//")
		for _, id := range clauseID.FindAllString(comment, -1) {
			list := found[id]
			if len(list) > 0 && i < list[len(list)-1].Line-1+strings.Count(list[len(list)-1].Code, "\n") {
				continue // it is shown already
			}
			first := documented(lines, i)
			found[id] = append(list, Passage{file, first + 1, passage(lines[first:])})
		}
	}
	return found
}

// documented returns the line at which the documentation of a declaration begins; any other line is its own.
func documented(lines []string, at int) int {
	if indentation(lines[at]) > 0 {
		return at
	}
	for at > 0 && strings.HasPrefix(lines[at-1], "//") {
		at--
	}
	return at
}

// longestPassage bounds the lines of a passage.
const longestPassage = 12

// passage returns the first line with what belongs to it: after a comment, the statement that it is about; the body of
// a block that the line opens.
func passage(lines []string) string {
	end := 1
	for end < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[end-1]), "//") {
		end++
	}
	indent := indentation(lines[end-1])
	code, _, _ := strings.Cut(lines[end-1], "//")
	switch code = strings.TrimSpace(code); {
	case strings.HasSuffix(code, "{"), strings.HasSuffix(code, "("):
		for end < len(lines) && !closes(lines[end], indent) {
			end++
		}
		end = min(end+1, len(lines))
	case strings.HasSuffix(code, ":"):
		for end < len(lines) && (lines[end] == "" || indentation(lines[end]) > indent) {
			end++
		}
	}
	var b strings.Builder
	for i, line := range lines[:min(end, longestPassage)] {
		if i == longestPassage-1 && end > longestPassage {
			line = strings.Repeat("\t", indent) + "…"
		}
		b.WriteString(strings.TrimPrefix(line, strings.Repeat("\t", indentation(lines[0]))) + "\n")
	}
	return b.String()
}

// closes reports whether a line ends the block that a line of that indentation opened.
func closes(line string, indent int) bool {
	rest, deep := strings.CutPrefix(line, strings.Repeat("\t", indent))
	return deep && (strings.HasPrefix(rest, "}") || strings.HasPrefix(rest, ")"))
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, "\t")) }
