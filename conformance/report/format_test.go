package report

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWriteFileWritesWhatWriteWrites(t *testing.T) {
	for _, f := range Formats() {
		path := filepath.Join(t.TempDir(), "report")
		if err := writeFile(f.Name, path, sample(), sampleOptions()); err != nil {
			t.Fatal(err)
		}
		if got := contentOf(t, path); !bytes.Equal(got, rendered(t, f.Name, sample(), sampleOptions())) {
			t.Errorf("the file of the format %s has another content:\n%s", f.Name, got)
		}
		checkAlone(t, path)
	}
}

func TestWriteFileReplacesAFileAndKeepsItsMode(t *testing.T) {
	folder := t.TempDir()
	path, link := filepath.Join(folder, "report"), filepath.Join(folder, "link")
	if err := os.WriteFile(path, []byte(strings.Repeat("old", 10000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if err := writeFile("badge", link, sample(), Options{}); err != nil {
		t.Fatal(err)
	}
	if got := contentOf(t, path); !bytes.Equal(got, rendered(t, "badge", sample(), Options{})) {
		t.Errorf("got %s", got)
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("the mode is %v (%v), want that of the old file", info.Mode(), err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced (%v)", err)
	}
}

func TestWriteFileLeavesNothingBehindWhereItFails(t *testing.T) {
	folder := t.TempDir()
	old := filepath.Join(folder, "report")
	if err := os.WriteFile(old, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := writeFile("xml", old, sample(), Options{}); err == nil {
		t.Error("an unknown format is written")
	}
	if err := writeFile("json", folder, sample(), Options{}); err == nil || !strings.Contains(err.Error(), "it is a folder") {
		t.Errorf("a folder is written: %v", err)
	}
	if err := writeFile("json", filepath.Join(folder, "missing", "report"), sample(), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a folder that is not there: got %v", err)
	}
	if got := contentOf(t, old); string(got) != "old" {
		t.Errorf("the old file has become %q", got)
	}
	checkAlone(t, old)
}

func TestWriteThroughFailsWhereTheFileCannotTakeTheContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	readOnly, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := writeThrough(readOnly, []byte("x"), fileMode); err == nil {
		t.Error("no error for a file that is open for reading only")
	}
}

func TestWriteFileWritesToWhatIsNoFile(t *testing.T) {
	if err := writeFile("json", os.DevNull, sample(), Options{}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(os.DevNull)
	if err != nil || info.Mode().IsRegular() {
		t.Errorf("%s was replaced by a file (%v)", os.DevNull, err)
	}
}

func TestTargetWritesToItsFileWithoutColours(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report")
	var stdout bytes.Buffer
	options := sampleOptions()
	options.Colour = true
	for _, target := range []Target{{"text", path}, {"text", ""}} {
		if err := target.Write(&stdout, sample(), options); err != nil {
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
	for _, text := range []string{"", "xml=out.xml", "JUNIT=out.xml", "=out.xml"} {
		_, err := ParseSpec(text)
		if err == nil || !strings.Contains(err.Error(), "want one of text, jsonl, json, junit, tap, markdown, github, badge") {
			t.Errorf("ParseSpec(%q): got %v, want an error that lists the formats", text, err)
		}
	}
	if _, err := ParseSpec("junit="); err == nil || !strings.Contains(err.Error(), "names no file") {
		t.Errorf("junit= is taken: %v", err)
	}
}

func TestParseSpecsRefusesTheSamePlaceTwice(t *testing.T) {
	folder := t.TempDir()
	if err := os.Symlink(folder, filepath.Join(folder, "link")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	out := filepath.Join(folder, "out")
	for _, texts := range [][]string{
		{"json=" + out, "junit=" + out},
		{"json=" + out, "json=" + out},
		{"json=" + out, "junit=" + folder + "/./x/../out"},
		{"json=" + out, "junit=" + folder + "/link/out"},
		{"text", "tap=-"},
	} {
		if _, err := ParseSpecs(texts); err == nil || !strings.Contains(err.Error(), "the same place") {
			t.Errorf("ParseSpecs(%q): got %v, want an error", texts, err)
		}
	}
	if targets, err := ParseSpecs([]string{"text", "json=" + out, "junit=" + out + ".xml"}); err != nil || len(targets) != 3 {
		t.Errorf("three places: got %v, %v", targets, err)
	}
	if _, err := ParseSpecs([]string{"text", "xml"}); err == nil {
		t.Error("an unknown format among others is taken")
	}
}
