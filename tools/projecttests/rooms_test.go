package projecttests

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// roomRow matches a row of the table of CONTRIBUTING.md: a folder, its lines without tests, and those of tests.
var roomRow = regexp.MustCompile("(?m)^\\| `([a-z/]+)/` \\| (\\d+) \\| (\\d+) \\| [^|]+ \\|$")

// TestTheTableOfRoomsIsTrue: every folder with Go files lies in a row of the table, and a row's numbers are near the truth.
func TestTheTableOfRoomsIsTrue(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := roomRow.FindAllStringSubmatch(string(text), -1)
	folders := map[string]bool{}
	for _, row := range rows {
		folders[row[1]] = true
		code, tests, err := goLines(filepath.Join(root, filepath.FromSlash(row[1])))
		if err != nil {
			t.Fatal(err)
		}
		if !near(row[2], code) || !near(row[3], tests) {
			t.Errorf("CONTRIBUTING.md says %s and %s lines of %s; there are %d and %d", row[2], row[3], row[1], code, tests)
		}
	}
	for room := range rooms {
		if code, _, err := goLines(filepath.Join(root, room)); err != nil || code > 300 && room != "." && !folders[room] {
			t.Errorf("the table of CONTRIBUTING.md has no row for %s: %v", room, err)
		}
	}
}

// near reports whether a number that a page says is within a quarter of the truth, or a hundred of it.
func near(said string, truth int) bool {
	n, err := strconv.Atoi(said)
	return err == nil && max(n-truth, truth-n) <= max(100, truth/4)
}

func TestANumberFarFromTheTruthIsFound(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason, said string
		truth        int
		want         bool
	}{
		{"a rounded number", "1000", 961, true},
		{"a room grew by a third", "3000", 4050, false},
		{"a room shrank by a half", "3000", 1500, false},
		{"a small room", "0", 90, true},
		{"no number", "many", 90, false},
	} {
		if got := near(test.said, test.truth); got != test.want {
			t.Errorf("%s: got %v, want %v", test.reason, got, test.want)
		}
	}
}

// goLines counts the lines of the Go files below a folder, without tests and of tests.
func goLines(folder string) (code, tests int, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "node_modules"):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		text, err := os.ReadFile(path)
		if lines := bytes.Count(text, []byte("\n")); strings.HasSuffix(path, "_test.go") {
			tests += lines
		} else {
			code += lines
		}
		return err
	})
	return code, tests, err
}
