package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestAReportKeepsToTheColumns: what is printed is as wide as its reader says, but for the command that is copied; what is
// written to a file is as wide as ever.
func TestAReportKeepsToTheColumns(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		columns string
		want    int
	}{{"60", 60}, {"120", 120}, {"", 118}, {"many", 118}} {
		path := filepath.Join(t.TempDir(), "report.txt")
		args := []string{"test", "--no-properties", "--case", "history-c*,protocol-e*", "--report", "text", "--report", "text=" + path}
		command := exec.Command(builtTool, append(args, portOf(t, "consecutive.py")...)...)
		command.Env = append(os.Environ(), "COLUMNS="+test.columns)
		out, _ := command.Output() // the port is wrong, on purpose
		written := read(t, path)
		if n := widest(string(out)); n > test.want || n < test.want-12 {
			t.Errorf("COLUMNS=%s: lines of up to %d characters, want %d:\n%s", test.columns, n, test.want, out)
		}
		if n := widest(written); n < 106 || n > 118 {
			t.Errorf("COLUMNS=%s: the file has lines of up to %d characters, want 118", test.columns, n)
		}
	}
}

// widest returns the characters of the longest line that is no command to be copied.
func widest(page string) (n int) {
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, "  again ") {
			n = max(n, utf8.RuneCountInString(strings.TrimRight(line, "\n")))
		}
	}
	return n
}
