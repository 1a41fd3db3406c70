package report

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTargetWritesWhatWriteWrites(t *testing.T) {
	for _, f := range Formats() {
		path := filepath.Join(t.TempDir(), "report")
		if err := (Target{f.Name, path}).Write(t.Context(), nil, sample(), sampleOptions()); err != nil {
			t.Fatal(err)
		}
		if got := contentOf(t, path); !bytes.Equal(got, rendered(t, f.Name, sample(), sampleOptions())) {
			t.Errorf("the file of the format %s has another content:\n%s", f.Name, got)
		}
		checkAlone(t, path)
	}
}

func TestTargetWritesToItsFileWithoutColours(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report")
	var stdout bytes.Buffer
	options := sampleOptions()
	options.Colour = true
	for _, target := range []Target{{"text", path}, {"text", ""}} {
		if err := target.Write(t.Context(), &stdout, sample(), options); err != nil {
			t.Fatal(err)
		}
	}
	if got := contentOf(t, path); bytes.Contains(got, []byte("\x1b")) {
		t.Errorf("colours in a file:\n%s", got)
	}
	if !bytes.Equal(stdout.Bytes(), rendered(t, "text", sample(), options)) {
		t.Errorf("standard output got\n%s", &stdout)
	}
}

func TestWritePassesOnWhatTheWriterSays(t *testing.T) {
	broken := errors.New("the pipe is closed")
	if err := Write("json", failing{broken}, sample(), Options{}); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}

// failing is a writer that fails.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func contentOf(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// checkAlone checks that the folder of a file holds nothing else: no temporary file was left.
func checkAlone(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || entries[0].Name() != filepath.Base(path) {
		t.Errorf("the folder holds %v, want only %s", entries, filepath.Base(path))
	}
}

func TestParseSpecReadsFormatAndFile(t *testing.T) {
	tests := []struct {
		text string
		want Target
	}{
		{"junit=out.xml", Target{"junit", "out.xml"}},
		{"json=a=b.json", Target{"json", "a=b.json"}},
		{"tap", Target{"tap", ""}},
		{"tap=-", Target{"tap", ""}},
	}
	for _, test := range tests {
		if got, err := ParseSpec(test.text); err != nil || got != test.want {
			t.Errorf("ParseSpec(%q) = %+v, %v; want %+v", test.text, got, err, test.want)
		}
	}
}

func TestParseSpecRefusesWhatNamesNoFormatOrFile(t *testing.T) {
	const all = "there are text, jsonl, json, junit, tap, markdown, github, badge"
	for text, want := range map[string]string{"": all, "xml=out.xml": all, "=out.xml": all, "JUNIT=out.xml": `did you mean "junit"?`} {
		if _, err := ParseSpec(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseSpec(%q): got %v, want %q in it", text, err, want)
		}
	}
	if _, err := ParseSpec("junit="); err == nil || !strings.Contains(err.Error(), "names no file") {
		t.Errorf("junit= is taken: %v", err)
	}
}
