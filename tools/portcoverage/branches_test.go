package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// source has a branch on its third line.
const source = "def f(x):\n    y = 1\n    if x:\n        y = 2\n    return y\n"

// measured returns the unreached lines of a report about the file ports/python/a.py.
func measured(t *testing.T, report string) ([]line, error) {
	t.Helper()
	folder := t.TempDir()
	t.Chdir(folder)
	if err := os.MkdirAll(filepath.Join("ports", "python"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("ports", "python", "a.py"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	c := coverage{}
	if err := c.read([]byte(report)); err != nil {
		return nil, err
	}
	_, unreached, err := c.below("ports")
	return unreached, err
}

func TestFormats(t *testing.T) {
	branch := line{"python/a.py", 3, "if x:"}
	inside := line{"python/a.py", 4, "y = 2"}
	lcov := func(rest string) string { return "SF:ports/python/a.py\n" + rest }
	regions := func(hits string) string {
		return `{"data":[{"functions":[{"filenames":["/a/ports/python/a.py"],"regions":[[3,5,3,8,1,0,0,0],` + hits + `]}]}]}`
	}
	for _, test := range []struct {
		reason, report string
		want           []line
	}{
		{"LCOV, a branch that is never taken", lcov("DA:3,7\nDA:4,7\nBRDA:3,0,0,7\nBRDA:3,0,1,0\n"), []line{branch}},
		{"LCOV, a branch of a line that is never reached", lcov("DA:4,0\nBRDA:3,0,0,-\n"), []line{branch, inside}},
		{"LCOV, reached by the second of two processes", lcov("BRDA:3,0,0,0\n" + lcov("BRDA:3,0,0,2\n")), nil},
		{"llvm-cov, a region", regions("[4,9,4,14,0,0,0,0]"), []line{inside}},
		{"llvm-cov, a region of another type of the same function", regions("[4,9,4,14,0,0,0,0],[4,9,4,14,3,0,0,0]"), nil},
		{"llvm-cov, a region that is no code", regions("[4,9,4,14,0,0,0,3]"), nil},
	} {
		t.Run(test.reason, func(t *testing.T) {
			got, err := measured(t, test.report)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(line{})); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestReportsThatSayNothing(t *testing.T) {
	for _, test := range []struct{ reason, report, want string }{
		{"an empty file", "", "no report of coverage"},
		{"another folder", "SF:elsewhere/a.py\nDA:1,1\n", "nothing of a file below ports"},
		{"a line without a number", "SF:ports/python/a.py\nDA:x,1\n", "DA:x,1"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			if _, err := measured(t, test.report); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

// TestTheGateFails shows that a branch without a reason is told, and a reason that is no longer true.
func TestTheGateFails(t *testing.T) {
	unreached := []line{{"python/a.py", 3, "if x:"}, {"python/a.py", 4, "y = 2"}, {"rust/b.rs", 9, "else"}}
	reasons, err := readReasons("reasons.yaml", []byte(`
unreached:
  - {in: python/a.py, lines: ["if x:", "gone"], reason: "x is never false."}
  - {in: java/C.java, lines: ["not measured"], reason: "There was no Java."}
  - {in: rust/b.rs, reason: "No port uses it."}
`))
	if err != nil {
		t.Fatal(err)
	}
	if got := without(unreached, reasons); !slices.Equal(got, unreached[1:2]) {
		t.Errorf("got %v, want the line that no reason covers", got)
	}
	problems := stale(reasons, unreached, []string{"python", "rust"})
	if len(problems) != 1 || !strings.Contains(problems[0].Error(), "gone") {
		t.Errorf("got %v, want the one reason that is about no line", problems)
	}
}
