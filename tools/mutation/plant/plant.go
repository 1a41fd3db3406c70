// Package plant plants faults in Go source: it finds the places of a package where one small change makes a wrong
// program that still compiles, and writes copies of the files in which every such change is there to be turned on, by
// [TurnOn]. It imports nothing of ours, since the copies import it.
package plant

import (
	"fmt"
	"go/token"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// Mutant is one deliberate fault. Package, Function and Change identify it, in whatever file they stand; ID only
// numbers the mutants of one [Program].
type Mutant struct {
	ID       int      // from 1
	Package  string   // import path
	File     string   // path below the module's root, with slashes
	Line     int      // from 1
	Function string   // "Type.Method", "function", or the variable's name at the top level
	Change   string   // "what is written → what the mutant has", and " #2" if it is the second such in its function
	Clauses  []string // the clauses that the place names; it breaks one of them, at least
	Users    []string // the import paths of the program's packages that import its package, itself included
}

// Name returns the short name of the package.
func (m Mutant) Name() string { return path.Base(m.Package) }

// String returns file:line, function and change in one line.
func (m Mutant) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", m.File, m.Line, m.Function, m.Change)
}

// dropped stands for a statement or a part that the mutant leaves out.
const dropped = "(dropped)"

// maxText is how many characters of code a change shows on each side.
const maxText = 90

// oneLine shortens code to what one line of a list bears.
func oneLine(code string) string {
	code = strings.Join(strings.Fields(code), " ")
	if utf8.RuneCountInString(code) > maxText {
		code = string([]rune(code)[:maxText-1]) + "…"
	}
	return code
}

// Program is a set of packages with all the faults that can be planted in them.
type Program struct {
	Mutants []Mutant
	Files   map[string][]byte // the mutated copy of each file, by its absolute path
}

// Mutate finds the mutants of packages, which are patterns as go list takes them in a module's folder. In the copies
// that it writes, a mutant is on when the package at the import path runtime says so. It is an error if there are none.
func Mutate(folder, runtime string, patterns ...string) (*Program, error) {
	all, err := list(folder, append([]string{runtime}, patterns...))
	if err != nil {
		return nil, err
	}
	p := &Program{Files: map[string][]byte{}}
	fset := token.NewFileSet()
	imports := importerOf(fset, all)
	users := map[string][]string{}
	for _, l := range all {
		if l.DepOnly || l.ImportPath == runtime {
			continue
		}
		for _, used := range append(l.Deps, l.ImportPath) {
			users[used] = append(users[used], l.ImportPath)
		}
		s, err := load(l, fset, imports)
		if err != nil {
			return nil, err
		}
		if err := p.add(s, runtime); err != nil {
			return nil, err
		}
	}
	for i := range p.Mutants {
		p.Mutants[i].Users = users[p.Mutants[i].Package]
	}
	if len(p.Mutants) == 0 {
		return nil, fmt.Errorf("no mutants in %v", patterns)
	}
	return p, nil
}

// add takes in the mutants of one package that compile.
func (p *Program) add(s *sources, runtime string) error {
	var sites [][]site
	for _, f := range s.files {
		sites = append(sites, find(s, f))
	}
	files, err := compilable(s, sites, len(p.Mutants), runtime)
	if err != nil {
		return err
	}
	seen := map[[2]string]int{}
	for i, f := range s.files {
		for _, m := range files[i].mutants {
			m.Package, m.File = s.path, f.name
			of := [2]string{m.Function, m.Change}
			if seen[of]++; seen[of] > 1 {
				m.Change += fmt.Sprintf(" #%d", seen[of])
			}
			p.Mutants = append(p.Mutants, m)
		}
		p.Files[f.path] = files[i].text
	}
	slices.SortFunc(p.Mutants, func(a, b Mutant) int { return a.ID - b.ID })
	return nil
}
