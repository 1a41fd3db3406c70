package projecttests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readers are the files of the product that read what no user names, beside the package that reads what users name.
var readers = []string{
	"cmd/loopstone/init.go",          // the sums of its own checkout
	"cmd/loopstone/streams_linux.go", // /proc, as the next three
	"conformance/stdio/state_unix.go",
	"internal/suite/bench/session.go",
	"internal/suite/bench/results.go",
	"internal/lab/label/file.go", // the labels that it appends to, which must be a regular file
	"internal/suite/userfiles/read.go",
	"internal/suite/userfiles/write.go",
}

// TestInputsAreReadInOnePlace: what reads a file by itself has no limit and does not heed a signal.
func TestInputsAreReadInOnePlace(t *testing.T) {
	t.Parallel()
	looked, opening := 0, []string{"ReadFile", "Open", "OpenFile"}
	root := filepath.Join("..", "..")
	for _, room := range []string{"cmd", "conformance", "internal/suite", "internal/lab"} {
		err := filepath.WalkDir(filepath.Join(root, room), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			name, err := filepath.Rel(root, path)
			if err != nil || slices.Contains(readers, filepath.ToSlash(name)) {
				return err
			}
			looked++
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				call, ok := n.(*ast.SelectorExpr)
				if !ok || !slices.Contains(opening, call.Sel.Name) {
					return true
				}
				if from, ok := call.X.(*ast.Ident); ok && from.Name == "os" {
					t.Errorf("%s: os.%s; use internal/suite/userfiles, which reads with a limit", files.Position(n.Pos()), call.Sel.Name)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range readers {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Error(err)
		}
	}
	if looked < 100 {
		t.Errorf("looked at %d files", looked)
	}
}
