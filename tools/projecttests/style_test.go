package projecttests

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	mostWidth    = 120 // characters of a line, a tab counted as one
	mostLines    = 40  // of a function, from its name to its closing brace
	mostBranches = 15  // cyclomatic complexity: one, and one for each if, for, case, && and ||
)

// longFunctions are functions that hold a table and no algorithm: one entry after the other.
var longFunctions = []string{
	"cmd/loopstone.testingCommands", // a command each
	"cmd/loopstone.recordingCommands",
	"cmd/loopstone.readingCommands",
	"conformance/adapters.Starters",          // a language each
	"internal/testing/faultyadapter.healthy", // an adapter each, as in the next three
	"internal/testing/faultyadapter.leaving",
	"internal/testing/faultyadapter.wrongAnswers",
	"internal/testing/faultyadapter.wrongLines",
	"tools/pages.complaints", // a complaint of users each
	"spec.set",               // a member of an event each
}

// problems returns what one file breaks, each with its place.
func problems(name string, text []byte) ([]string, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	found := wide(files, file, text)
	for _, declaration := range file.Decls {
		f, isFunc := declaration.(*ast.FuncDecl)
		if !isFunc || f.Body == nil {
			continue
		}
		begin, end := files.Position(f.Pos()), files.Position(f.End())
		title := fmt.Sprintf("%s.%s", filepath.ToSlash(filepath.Dir(name)), f.Name.Name)
		if slices.Contains(longFunctions, title) {
			continue
		}
		if n := end.Line - begin.Line + 1; n > mostLines {
			found = append(found, fmt.Sprintf("%s: %s has %d lines, want at most %d", begin, title, n, mostLines))
		}
		if n := branches(f); n > mostBranches {
			found = append(found, fmt.Sprintf("%s: %s has the complexity %d, want at most %d", begin, title, n, mostBranches))
		}
	}
	return found, nil
}

// wide returns the lines that are too wide. A line within a text of several lines is what it is.
func wide(files *token.FileSet, file *ast.File, text []byte) []string {
	literal := map[int]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && strings.HasPrefix(l.Value, "`") {
			for line := files.Position(l.Pos()).Line; line <= files.Position(l.End()).Line; line++ {
				literal[line] = true
			}
		}
		return true
	})
	var found []string
	for i, line := range strings.Split(string(text), "\n") {
		n := utf8.RuneCountInString(line)
		if n > mostWidth && !literal[i+1] && !strings.HasPrefix(line, "//go:") {
			place := files.Position(file.Pos()).Filename
			found = append(found, fmt.Sprintf("%s:%d: the line has %d characters, want at most %d", place, i+1, n, mostWidth))
		}
	}
	return found
}

func branches(f *ast.FuncDecl) int {
	n := 1
	ast.Inspect(f, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if node.List != nil {
				n++
			}
		case *ast.CommClause:
			if node.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}

func TestLinesAndFunctionsKeepToTheirMeasures(t *testing.T) {
	t.Parallel()
	looked := 0
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (name == "testdata" || name == "node_modules" || len(name) > 2 && name[0] == '.'):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		found, err := problems(relative, text)
		for _, p := range found {
			t.Error(p)
		}
		looked++
		return err
	})
	if err != nil || looked < 100 {
		t.Fatalf("looked at %d files: %v", looked, err)
	}
}

func TestWhatBreaksAMeasureIsFound(t *testing.T) {
	t.Parallel()
	line := "\t_ = 1\n"
	branch := "\tif a && b {\n\t}\n"
	tests := []struct{ reason, text, want string }{
		{"all is well", "package p\n\nfunc f() {\n" + strings.Repeat(line, 38) + "}\n", ""},
		{"a line too many", "package p\n\nfunc f() {\n" + strings.Repeat(line, 39) + "}\n", "x/y.go:3:1: x.f has 41 lines"},
		{"a branch too many", "package p\n\nfunc f() {\n" + strings.Repeat(branch, 8) + "}\n", "x/y.go:3:1: x.f has the complexity 17"},
		{"a wide line", "package p\n\n// " + strings.Repeat("é", 118) + "\n", "x/y.go:3: the line has 121 characters"},
		{"a wide text", "package p\n\nconst text = `\n" + strings.Repeat("é", 200) + "`\n", ""},
	}
	for _, test := range tests {
		found, err := problems("x/y.go", []byte(test.text))
		got := strings.Join(found, "\n")
		if err != nil || !strings.HasPrefix(got, test.want) || (test.want == "") != (got == "") {
			t.Errorf("%s: got %q, %v, want %q", test.reason, got, err, test.want)
		}
	}
}
