package plant

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
)

// runtimeName is what the copies call the package that says which mutant is on.
const runtimeName = "mutant_"

// copied is the mutated copy of a file and the mutants in it.
type copied struct {
	text    []byte
	mutants []Mutant
}

// maxRounds bounds how often a package is checked again without the mutants that did not compile.
const maxRounds = 20

// compilable writes the copies of a package's files, without the changes that the compiler refuses. The mutants are
// numbered on from the last one.
func compilable(s *sources, sites [][]site, last int, runtime string) ([]copied, error) {
	for range maxRounds {
		files := make([]copied, len(s.files))
		id := last
		for i, f := range s.files {
			files[i], id = write(f, sites[i], id, runtime)
		}
		refused, err := check(s, files)
		if err != nil || len(refused) == 0 {
			return files, err
		}
		id = last
		for i := range sites {
			sites[i], id = without(sites[i], refused, id)
		}
	}
	return nil, fmt.Errorf("the mutants of %s still do not compile after %d rounds", s.path, maxRounds)
}

// without leaves out the changes with these numbers.
func without(sites []site, refused map[int]bool, id int) ([]site, int) {
	var rest []site
	for _, s := range sorted(sites) {
		s.changes = slices.DeleteFunc(slices.Clone(s.changes), func(change) bool { id++; return refused[id] })
		if len(s.changes) > 0 {
			rest = append(rest, s)
		}
	}
	return rest, id
}

// sorted returns the sites by their place, outer ones first. Of two with the same range, the statement is the outer.
func sorted(sites []site) []site {
	sites = slices.Clone(sites)
	slices.SortStableFunc(sites, func(a, b site) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	return sites
}

// write writes the copy of a file; it returns the number of its last mutant, too.
func write(f *file, sites []site, last int, runtime string) (copied, int) {
	w := &writer{file: f, id: last}
	for _, s := range sorted(sites) {
		numbered := numberedSite{site: s}
		for _, c := range s.changes {
			w.id++
			c.mutant.ID = w.id
			w.mutants = append(w.mutants, c.mutant)
			numbered.ids = append(numbered.ids, w.id)
		}
		w.sites = append(w.sites, numbered)
	}
	w.insert()
	clause := int(f.tree.Name.End() - f.tree.FileStart)
	b := fmt.Appendf(bytes.Clone(f.text[:clause]), "; import %s %q", runtimeName, runtime)
	b = w.piece(b, clause, len(f.text))
	b = w.renewals(b)
	b = fmt.Appendf(b, "\nvar _ = %s.Is\n", runtimeName)
	return copied{b, w.mutants}, w.id
}

type numberedSite struct {
	site
	ids []int
}

// writer writes the copy of one file.
type writer struct {
	file    *file
	sites   []numberedSite
	steps   []int // offsets after the opening braces of functions and loops
	id      int
	mutants []Mutant
}

// insert notes where steps are to be counted.
func (w *writer) insert() {
	ast.Inspect(w.file.tree, func(n ast.Node) bool {
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.FuncDecl:
			body = n.Body
		case *ast.ForStmt:
			body = n.Body
		}
		if body != nil {
			w.steps = append(w.steps, int(body.Lbrace-w.file.tree.FileStart)+1)
		}
		return true
	})
	slices.Sort(w.steps)
}

// piece appends the copy of a part of the file, with the sites that lie wholly in it.
func (w *writer) piece(b []byte, from, to int) []byte { return w.pieceFrom(b, from, to, 0) }

// pieceFrom is piece for a part whose sites begin at that position of the list.
func (w *writer) pieceFrom(b []byte, from, to, site int) []byte {
	for at := from; at < to; {
		for site < len(w.sites) && (w.sites[site].from < at || w.sites[site].to > to) {
			site++
		}
		if site == len(w.sites) || w.sites[site].from >= to {
			return w.plain(b, at, to)
		}
		s := w.sites[site]
		b = w.plain(b, at, s.from)
		b = w.choice(b, s, site)
		at = s.to
	}
	return b
}

// plain appends source as it is, with the steps that are counted in it.
func (w *writer) plain(b []byte, from, to int) []byte {
	for _, at := range w.steps {
		if from < at && at <= to {
			b = append(b, w.file.text[from:at]...)
			b = append(b, " "+runtimeName+".Step();"...)
			from = at
		}
	}
	return append(b, w.file.text[from:to]...)
}

// choice appends a site in all its forms.
func (w *writer) choice(b []byte, s numberedSite, site int) []byte {
	if s.typ == "" {
		for i, c := range s.changes {
			b = fmt.Appendf(b, "if %s.Is(/*%d*/%d) { %s } else ", runtimeName, s.ids[i], s.ids[i], c.text)
		}
		b = append(b, "/*0*/{ "...)
		b = w.pieceFrom(b, s.from, s.to, site+1)
		return append(b, " }"...)
	}
	b = fmt.Appendf(b, "func() %s {", s.typ)
	for i, c := range s.changes {
		b = fmt.Appendf(b, "if %s.Is(/*%d*/%d) { return %s }; ", runtimeName, s.ids[i], s.ids[i], c.text)
	}
	b = append(b, "/*0*/return "...)
	b = w.pieceFrom(b, s.from, s.to, site+1)
	return append(b, " }()"...)
}

// renewals appends a function that initialises the file's variables again.
func (w *writer) renewals(b []byte) []byte {
	for _, d := range w.file.tree.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.VAR {
			continue
		}
		for _, s := range decl.Specs {
			b = w.renewal(b, s.(*ast.ValueSpec))
		}
	}
	return b
}

func (w *writer) renewal(b []byte, s *ast.ValueSpec) []byte {
	for i, name := range s.Names {
		if i >= len(s.Values) || name.Name == "_" {
			continue
		}
		from, to := int(s.Values[i].Pos()-w.file.tree.FileStart), int(s.Values[i].End()-w.file.tree.FileStart)
		b = fmt.Appendf(b, "\nfunc init() { %s.Renew(func() { %s = ", runtimeName, name.Name)
		b = w.piece(b, from, to)
		b = append(b, " }) }\n"...)
	}
	return b
}

var marker = regexp.MustCompile(`/\*(\d+)\*/`)

// check type-checks the copies and returns the numbers of the mutants at fault.
func check(s *sources, files []copied) (map[int]bool, error) {
	fset := token.NewFileSet()
	var trees []*ast.File
	texts := map[string][]byte{}
	for i, f := range s.files {
		tree, err := parser.ParseFile(fset, f.path, files[i].text, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("parse the mutated copy: %w", err)
		}
		trees = append(trees, tree)
		texts[f.path] = files[i].text
	}
	refused := map[int]bool{}
	var fatal error
	config := types.Config{Importer: s.imports, Error: func(err error) {
		problem := err.(types.Error)
		at := fset.Position(problem.Pos)
		id := before(texts[at.Filename], at.Offset)
		if id == 0 {
			fatal = fmt.Errorf("check the mutated copy of %s: %w", at.Filename, err)
			return
		}
		refused[id] = true
	}}
	_, _ = config.Check(s.path, fset, trees, nil) // every error was given to the function above
	return refused, fatal
}

// before returns the number of the mutant whose code stands at an offset; 0 where it is the original.
func before(text []byte, offset int) int {
	marks := marker.FindAllSubmatch(text[:offset], -1)
	if len(marks) == 0 {
		return 0
	}
	id, _ := strconv.Atoi(string(marks[len(marks)-1][1])) // digits only
	return id
}
