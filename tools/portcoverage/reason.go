package main

import (
	"path"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/spec/strictyaml"
)

const reasonsFile = "tools/portcoverage/reasons.yaml"

// reason says why no case reaches some lines of some files, or any line of them.
type reason struct {
	file  string   // a pattern as [path.Match] has it
	lines []string // how they begin, without the blanks before them; none for all lines
	why   string
	place strictyaml.Place
}

// readReasons reads the list. The name is used for places only; the error has every problem, one a line.
func readReasons(name string, text []byte) ([]reason, error) {
	doc, err := strictyaml.Parse(name, text)
	if err != nil {
		return nil, err
	}
	var list []reason
	err = doc.Read(map[string]strictyaml.Reader{"unreached": strictyaml.Each(&list, readReason)}, "unreached")
	return list, err
}

func readReason(n *strictyaml.Node) (reason, error) {
	a := reason{place: n.Place}
	err := n.Read(map[string]strictyaml.Reader{
		"in": strictyaml.Str(&a.file), "lines": strictyaml.Strs(&a.lines), "reason": strictyaml.Str(&a.why),
	}, "in", "reason")
	return a, err
}

func (a reason) covers(l line) bool {
	return a.isOf(l.file) && (len(a.lines) == 0 || slices.ContainsFunc(a.lines, func(beginning string) bool {
		return strings.HasPrefix(l.text, beginning)
	}))
}

func (a reason) isOf(file string) bool {
	match, err := path.Match(a.file, file)
	return match && err == nil
}

// without returns the lines that no reason covers.
func without(unreached []line, reasons []reason) []line {
	return slices.DeleteFunc(slices.Clone(unreached), func(l line) bool {
		return slices.ContainsFunc(reasons, func(a reason) bool { return a.covers(l) })
	})
}

// stale returns the reasons about a measured language that cover a line that is reached, or none.
func stale(reasons []reason, unreached []line, languages []string) []error {
	var problems []error
	for _, a := range reasons {
		language, _, _ := strings.Cut(a.file, "/")
		if !slices.Contains(languages, language) {
			continue
		}
		for _, text := range a.lines {
			if one := (reason{file: a.file, lines: []string{text}}); !slices.ContainsFunc(unreached, one.covers) {
				problems = append(problems, a.place.Problemf("%s: no such line is unreached: %s", a.file, text))
			}
		}
	}
	return problems
}

// languages returns the folders of the ports that were measured.
func (c coverage) languages(folder string) []string {
	var list []string
	for file := range c {
		if name, ok := within(folder, file); ok {
			language, _, _ := strings.Cut(name, "/")
			list = append(list, language)
		}
	}
	return list
}
