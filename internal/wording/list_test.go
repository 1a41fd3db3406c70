package wording_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/wording"
)

func TestShell(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ reason, word, want string }{
		{"what means nothing to a shell stays as it is", "--a_b=./C@1:2,3+4%", "--a_b=./C@1:2,3+4%"},
		{"nothing is a word, too", "", "''"},
		{"a space parts words", "my port.py", "'my port.py'"},
		{"double quotes would run it", "$(touch x)`touch y`", "'$(touch x)`touch y`'"},
		{"a single quote ends the quotes", "it's", `'it'\''s'`},
		{"a backslash is one", `a\nb`, `'a\nb'`},
		{"a pattern is no list of files", "history-*", "'history-*'"},
		{"a tilde is no home", "~/port", "'~/port'"},
		{"a line end", "a\nb", "'a\nb'"},
		{"a letter of another alphabet", "größe", "'größe'"},
	} {
		got := wording.Shell(test.word)
		if got != test.want {
			t.Errorf("%s: got %s, want %s", test.reason, got, test.want)
		}
		if shell, err := exec.LookPath("sh"); err == nil {
			out, err := exec.Command(shell, "-c", "printf '%s|' "+wording.Shell("before", test.word, "behind")).Output()
			if want := strings.Join([]string{"before", test.word, "behind", ""}, "|"); err != nil || string(out) != want {
				t.Errorf("%s: the shell reads %q, %v; want %q", test.reason, out, err, want)
			}
		}
	}
}
