package report

import (
	"errors"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

func TestWritePassesOnWhatTheWriterSays(t *testing.T) {
	broken := errors.New("the pipe is closed")
	if err := Write("jsonl", failing{broken}, sample(), Options{}); !errors.Is(err, broken) {
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
		{"jsonl=a=b.jsonl", Target{"jsonl", "a=b.jsonl"}},
		{"junit", Target{"junit", ""}},
		{"junit=-", Target{"junit", ""}},
	}
	for _, test := range tests {
		if got, err := ParseSpec(test.text); err != nil || got != test.want {
			t.Errorf("ParseSpec(%q) = %+v, %v; want %+v", test.text, got, err, test.want)
		}
	}
}

func TestParseSpecRefusesWhatNamesNoFormatOrFile(t *testing.T) {
	const all = "there are text, jsonl, junit, markdown, github, badge"
	for text, want := range map[string]string{"": all, "xml=out.xml": all, "=out.xml": all, "JUNIT=out.xml": `did you mean "junit"?`} {
		if _, err := ParseSpec(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseSpec(%q): got %v, want %q in it", text, err, want)
		}
	}
	if _, err := ParseSpec("junit="); err == nil || !strings.Contains(err.Error(), "names no file") {
		t.Errorf("junit= is taken: %v", err)
	}
}

// TestNoFormatPrintsWhatATerminalObeys: whatever a port and its authors say, every character is one that is seen.
func TestNoFormatPrintsWhatATerminalObeys(t *testing.T) {
	for _, f := range formats {
		t.Run(f.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				r := hostileReport().Draw(t, "report")
				content, err := f.render(bounded(r), sampleOptions())
				if err != nil {
					t.Fatal(err)
				}
				text := string(content)
				bad := strings.IndexFunc(text, func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) })
				if bad >= 0 {
					t.Fatalf("%q in\n%s", text[bad:min(len(text), bad+20)], text[max(0, bad-300):bad])
				}
			})
		})
	}
}
