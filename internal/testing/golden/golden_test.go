package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// listener is a test that keeps the first that is said of it, and goes on.
type listener struct {
	testing.TB
	said string
}

func (l *listener) Helper() {}

func (l *listener) Errorf(format string, args ...any) {
	if l.said == "" {
		l.said = fmt.Sprintf(format, args...)
	}
}

func (l *listener) Fatalf(format string, args ...any) { l.Errorf(format, args...) }

func TestCheckTellsWhatDiffers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.txt")
	for _, test := range []struct{ reason, file, got, want string }{
		{"there is no file", "", "a", "no such file"},
		{"the file holds another text", "a", "b", "page.txt differs"},
		{"the file holds the text", "a", "a", ""},
	} {
		if test.file != "" {
			if err := os.WriteFile(path, []byte(test.file), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var l listener
		Check(&l, path, test.got)
		if (test.want == "") != (l.said == "") || !strings.Contains(l.said, test.want) {
			t.Errorf("%s: it says %q, want %q in it", test.reason, l.said, test.want)
		}
	}
}
