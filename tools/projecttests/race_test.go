package projecttests

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// notRaced are packages that start goroutines and that make race leaves out, with the reason.
var notRaced = map[string]string{
	"cmd/loopstone":              "its tests start the tool as a process",
	"internal/suite/porttest":    "nothing races its goroutines yet: its searches are long",
	"internal/suite/rulecases":   "as porttest",
	"internal/suite/sharedswarm": "make swarm-shared has the race detector, too",
}

// goroutine matches the start of a goroutine.
var goroutine = regexp.MustCompile(`(?m)^\s+go (func\(|[a-z.]+\()|\.Go\(`)

// TestEveryPackageThatStartsGoroutinesIsRaced: what make race leaves out is no package that starts goroutines. Each test
// that it leaves out is there, in a package that it has.
func TestEveryPackageThatStartsGoroutinesIsRaced(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	raced := wordsOf(t, string(text), "RACING")
	starting, tests := map[string]bool{}, ""
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && slices.Contains([]string{"tools", "testdata", ".cache"}, entry.Name()) {
			return cmp.Or(err, fs.SkipDir)
		}
		folder, _ := filepath.Rel(root, filepath.Dir(path))
		folder = filepath.ToSlash(folder)
		isTest := strings.HasSuffix(path, "_test.go")
		if !strings.HasSuffix(path, ".go") || isTest && !slices.Contains(raced, "./"+folder) {
			return nil
		}
		code, err := os.ReadFile(path)
		if isTest {
			tests += string(code)
		} else if goroutine.Match(code) && hasTests(filepath.Dir(path)) {
			starting[folder] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(starting) < 10 {
		t.Errorf("only %d packages start goroutines", len(starting))
	}
	for folder := range starting {
		if notRaced[folder] == "" && !slices.Contains(raced, "./"+folder) {
			t.Errorf("%s starts goroutines: make race must have it, as one of RACING", folder)
		}
	}
	for folder := range notRaced {
		if !starting[folder] || slices.Contains(raced, "./"+folder) {
			t.Errorf("%s starts no goroutines, or make race has it", folder)
		}
	}
	for _, name := range wordsOf(t, string(text), "UNRACED") {
		if !strings.Contains(tests, "\nfunc "+name+"(") {
			t.Errorf("make race leaves out %s, which is no test of its packages", name)
		}
	}
}

func hasTests(folder string) bool {
	tests, _ := filepath.Glob(filepath.Join(folder, "*_test.go"))
	return len(tests) > 0
}

// wordsOf returns the words of a variable of a Makefile, also those that | separates.
func wordsOf(t *testing.T, makefile, variable string) []string {
	t.Helper()
	_, text, ok := strings.Cut(makefile, "\n"+variable+" := ")
	if !ok {
		t.Fatalf("the Makefile has no %s", variable)
	}
	text, _, _ = strings.Cut(regexp.MustCompile(`\$?\\\n`).ReplaceAllString(text, " "), "\n")
	return strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '|' })
}

func TestAGoroutineIsFound(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		code string
		want bool
	}{
		{"\tgo func() {", true},
		{"\tgo p.live(cmd)", true},
		{"\tworkers.Go(func() {", true},
		{"// they go on(", false},
		{"\tgone(x)", false},
	} {
		if got := goroutine.MatchString(test.code); got != test.want {
			t.Errorf("%q: got %t, want %t", test.code, got, test.want)
		}
	}
}
