package plant

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// sources are the checked files of one package.
type sources struct {
	path    string
	fset    *token.FileSet
	files   []*file
	info    *types.Info
	pkg     *types.Package
	imports types.Importer
}

// file is one file of a package.
type file struct {
	path string // absolute
	name string // below the module's root
	text []byte
	tree *ast.File
}

// listed is what go list says of a package.
type listed struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Export     string
	Deps       []string
	DepOnly    bool
	Module     struct{ Dir string }
	Error      *struct{ Err string }
}

// list asks go list about packages and everything that they import.
func list(root string, patterns []string) ([]listed, error) {
	args := append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,GoFiles,Export,Deps,DepOnly,Module,Error"},
		patterns...)
	command := exec.Command("go", args...)
	command.Dir = root
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("list the packages %v: %w: %s", patterns, err, stderr.String())
	}
	var all []listed
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("read the list of packages: %w", err)
		}
		if p.Error != nil {
			return nil, fmt.Errorf("list the package %s: %s", p.ImportPath, p.Error.Err)
		}
		all = append(all, p)
	}
}

// importerOf reads the types of imported packages from what the compiler exported.
func importerOf(fset *token.FileSet, all []listed) types.Importer {
	exports := map[string]string{}
	for _, p := range all {
		exports[p.ImportPath] = p.Export
	}
	return importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("%s is not among the imports of the packages", path)
		}
		return os.Open(exports[path])
	})
}

// load parses and checks one package.
func load(p listed, fset *token.FileSet, imports types.Importer) (*sources, error) {
	s := &sources{path: p.ImportPath, fset: fset, imports: imports, info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Uses:  map[*ast.Ident]types.Object{},
	}}
	for _, base := range p.GoFiles {
		f, err := parse(p.Module.Dir, filepath.Join(p.Dir, base), fset)
		if err != nil {
			return nil, err
		}
		s.files = append(s.files, f)
	}
	config := types.Config{Importer: imports}
	pkg, err := config.Check(p.ImportPath, fset, s.trees(), s.info)
	if err != nil {
		return nil, fmt.Errorf("check the package %s: %w", p.ImportPath, err)
	}
	s.pkg = pkg
	return s, nil
}

func parse(root, path string, fset *token.FileSet) (*file, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read a file to mutate: %w", err)
	}
	tree, err := parser.ParseFile(fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parse a file to mutate: %w", err)
	}
	name, err := filepath.Rel(root, path)
	if err != nil {
		return nil, fmt.Errorf("name a file to mutate: %w", err)
	}
	return &file{path: path, name: filepath.ToSlash(name), text: text, tree: tree}, nil
}

func (s *sources) trees() []*ast.File {
	trees := make([]*ast.File, len(s.files))
	for i, f := range s.files {
		trees[i] = f.tree
	}
	return trees
}
