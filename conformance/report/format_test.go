package report

import (
	"errors"
	"strings"
	"testing"
)

func TestWritePassesOnWhatTheWriterSays(t *testing.T) {
	broken := errors.New("the pipe is closed")
	if err := Write("json", failing{broken}, sample(), Options{}); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}

// failing is a writer that fails.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

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
