package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// example finds the commands of docs/dev/strength.md that show how the suite catches a mutant.
var example = regexp.MustCompile("(?s)\n```sh\n(go run \\./internal/guard/mutation build -o \\S+)\n(go run [^\n]+)\n```\n")

// TestTheExampleOfThePage runs the commands that the page tells its readers to run: the build succeeds, and the suite
// fails the mutant, with the case that the table names.
func TestTheExampleOfThePage(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	t.Parallel()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, pageFile))
	if err != nil {
		t.Fatal(err)
	}
	commands := example.FindStringSubmatch(string(page))
	if commands == nil {
		t.Fatalf("%s has no example", pageFile)
	}
	tool := filepath.Join(t.TempDir(), "mutants")
	run := func(command string) (string, error) {
		words := strings.Fields(strings.ReplaceAll(command, "bin/mutants", tool))
		c := exec.CommandContext(t.Context(), words[0], words[1:]...)
		c.Dir = root
		out, err := c.CombinedOutput()
		return string(out), err
	}
	if out, err := run(commands[1]); err != nil {
		t.Fatalf("%s: %v\n%s", commands[1], err, out)
	}
	out, err := run(commands[2])
	if err == nil || !strings.Contains(out, "\nFAILED ") {
		t.Errorf("%s: error %v, want the exit code 1 and a failure:\n%s", commands[2], err, out)
	}
	number := commands[2][strings.LastIndex(commands[2], " ")+1:]
	row := regexp.MustCompile(`\n\| ` + number + ` \|.*\| (\S+) \|\n`).FindStringSubmatch(string(page))
	if row == nil || !strings.Contains(out, row[1]) {
		t.Errorf("the row of mutant %s names %v, want one of the failures:\n%s", number, row, out)
	}
}

func TestAFileThatIsOutOfDate(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := write(folder, "page.md", []byte("as it was")); err != nil {
		t.Fatal(err)
	}
	if err := compare(folder, "page.md", []byte("as it was")); err != nil {
		t.Error(err)
	}
	if err := compare(folder, "page.md", []byte("as it is")); err == nil || err.Error() != "page.md is not up to date; run: make mutation" {
		t.Errorf("got %v, want a problem", err)
	}
	if err := compare(folder, "no.md", nil); err == nil {
		t.Error("a file that is missing is no problem")
	}
}
