package mutation

import (
	"fmt"
	"go/token"
	"slices"
)

// Program is a set of packages with all the faults that can be planted in them.
type Program struct {
	Mutants []Mutant
	Files   map[string][]byte // the mutated copy of each file, by its absolute path

	users map[string][]string // by package: those of the listed packages that import it, itself included
}

// Mutate finds the mutants of packages, which are patterns as go list takes them, below a module's root. In the copies
// that it writes, a mutant is on when the package at the import path runtime says so.
func Mutate(root, runtime string, patterns ...string) (*Program, error) {
	all, err := list(root, patterns)
	if err != nil {
		return nil, err
	}
	p := &Program{Files: map[string][]byte{}, users: map[string][]string{}}
	fset := token.NewFileSet()
	imports := importerOf(fset, all)
	for _, l := range all {
		if l.DepOnly {
			continue
		}
		for _, used := range append(l.Deps, l.ImportPath) {
			p.users[used] = append(p.users[used], l.ImportPath)
		}
		s, err := load(root, l, fset, imports)
		if err != nil {
			return nil, err
		}
		if err := p.add(s, runtime); err != nil {
			return nil, err
		}
	}
	if len(p.Mutants) == 0 {
		return nil, fmt.Errorf("no mutants in %v", patterns)
	}
	return p, nil
}

// Users returns the packages of the program that a package is part of, itself included.
func (p *Program) Users(path string) []string { return p.users[path] }

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
	seen := map[Key]int{}
	for i, f := range s.files {
		for _, m := range files[i].mutants {
			m.Package, m.File = s.path, f.name
			seen[m.Key()]++
			m.Occurrence = seen[Key{m.File, m.Function, m.Change}]
			p.Mutants = append(p.Mutants, m)
		}
		p.Files[f.path] = files[i].text
	}
	slices.SortFunc(p.Mutants, func(a, b Mutant) int { return a.ID - b.ID })
	return nil
}
