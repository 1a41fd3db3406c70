package projecttests

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// crooked matches words for programs that do not report, print, test or fix, but speak, tell or mend, and words from a
// dictionary.
var crooked = regexp.MustCompile(
	`(?i)\b(speaks?|spoke|spoken|tells?|told|stands?|stood|mends?|mended|last words|anew|afresh|whoever)\b`)

// setting is the one name among them: how often a rung of composed reports.
var setting = regexp.MustCompile(`\bspeaks\b`)

// crookedTexts returns a problem for each text in a source file, which people may read, that has a crooked word. Tests,
// comments and names are not checked.
func crookedTexts(path string, source []byte) ([]string, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var found []string
	ast.Inspect(file, func(n ast.Node) bool {
		text, ok := n.(*ast.BasicLit)
		if !ok || text.Kind != token.STRING {
			return true
		}
		value := text.Value
		if isName := value == `"speaks"` || strings.Contains(value, `"speaks":`); isName {
			value = setting.ReplaceAllLiteralString(value, "")
		}
		if word := crooked.FindString(value); word != "" {
			found = append(found, fmt.Sprintf("%s: %q: docs/dev/style.md has another word", set.Position(text.Pos()), word))
		}
		return true
	})
	return found, nil
}

// TestTextsHaveStraightWords: messages, help and reports.
func TestTextsHaveStraightWords(t *testing.T) {
	t.Parallel()
	read := 0
	for _, room := range []string{"cmd", "conformance", "internal", "reference", "spec", "cases"} {
		err := filepath.WalkDir(filepath.Join("..", "..", room), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			read++
			problems, err := crookedTexts(path, source)
			for _, p := range problems {
				t.Error(p)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if read < 100 {
		t.Errorf("only %d files were read", read)
	}
}

// TestGuidesHaveStraightWords: README, CONTRIBUTING and the pages for users. The setting is in code.
func TestGuidesHaveStraightWords(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil || len(pages) < 9 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	pages = append(pages, filepath.Join("..", "..", "README.md"), filepath.Join("..", "..", "CONTRIBUTING.md"))
	for _, path := range pages {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range crookedLines(path, string(text)) {
			t.Error(p)
		}
	}
}

// crookedLines returns a problem for each line of a page that has a crooked word outside of code.
func crookedLines(path, text string) (found []string) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		if word := crooked.FindString(inCode.ReplaceAllLiteralString(line, "")); word != "" {
			found = append(found, fmt.Sprintf("%s:%d: %q: docs/dev/style.md has another word", path, n, word))
		}
	}
	return found
}

var inCode = regexp.MustCompile("`[^`]*`")

func TestACrookedLineIsFound(t *testing.T) {
	t.Parallel()
	got := crookedLines("x.md", "The setting `speaks` is code.\nThe program tells it.\n")
	if len(got) != 1 || !strings.HasPrefix(got[0], "x.md:2: \"tells\"") {
		t.Errorf("got %q", got)
	}
}

// TestACrookedWordIsFound, and a name, a comment or another word is none.
func TestACrookedWordIsFound(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason, text string
		want         int
	}{
		{"a message", `var a = "the port does not Speak"`, 1},
		{"two words in one text", `var a = "its last words were told"`, 1},
		{"two texts", "var a, b = `it stands there`, \"2 mended\"", 2},
		{"the setting", "var a, b = \"speaks\", `{\"speaks\":1}`", 0},
		{"the setting's word in a sentence", `var a = "it speaks"`, 1},
		{"a comment and a name", "// It tells.\nvar told = 1", 0},
		{"part of another word", `var a = "a standard teller understands amendments"`, 0},
	} {
		problems, err := crookedTexts("x.go", []byte("package x\n"+test.text+"\n"))
		if err != nil || len(problems) != test.want {
			t.Errorf("%s: %q, %v, want %d", test.reason, problems, err, test.want)
		}
	}
}
