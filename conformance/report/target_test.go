package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

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
