package agentlogs

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// callOf returns a line of Loopstone's own format whose argument is the given text of JSON, without its quotes.
func callOf(path string) string {
	return `{"type":"tool_call","tool":"read","args":{"path":"` + path + `"}}` + "\n"
}

func TestALogThatIsNotUTF8IsRefused(t *testing.T) {
	t.Parallel()
	good := callOf("a")
	tests := []struct {
		reason, text, want string
		kept               int // events before the fault
	}{
		{
			"Latin-1, from which different names would become one", good + callOf("caf\xe8") + callOf("caf\xe9"),
			"x:2:54: not UTF-8: byte 0xe8; convert the log first, for example with iconv", 1,
		},
		{"the first record", callOf("caf\xe8"), "x:1:54: not UTF-8: byte 0xe8", 0},
		{"a character that is cut at the end of the file", good + "\"\xe2\x82", "x:2:2: not UTF-8: byte 0xe2", 1},
		{"half of a pair, written as three bytes", good + callOf("\xed\xa0\x80"), "x:2:51: not UTF-8: byte 0xed", 1},
		{"after the last record", good + "\xff", "x:2:1: not UTF-8: byte 0xff", 1},
		{"after a byte order mark, which has no column", "\ufeff" + callOf("\xff"), "x:1:51: not UTF-8: byte 0xff", 0},
	}
	for _, test := range tests {
		for _, reader := range []func(io.Reader) io.Reader{
			func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.DataErrReader,
		} {
			var h heard
			err := Read("x", reader(strings.NewReader(test.text)), "loopstone", h.sink())
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("%s: the error is %v, want %s", test.reason, err, test.want)
			}
			if len(h.events) != test.kept {
				t.Errorf("%s: %d events are kept, want %d", test.reason, len(h.events), test.kept)
			}
		}
	}
}

// TestHalvesOfAPairStayApart: JSON may hold half of a surrogate pair as an escape. Python writes a byte of a file name
// so that is not UTF-8; if each became U+FFFD, different calls would be equal.
func TestHalvesOfAPairStayApart(t *testing.T) {
	t.Parallel()
	tests := []struct{ reason, escaped, want string }{
		{"a byte of a file name, as Python writes it", `caf\udce9`, `caf\udce9`},
		{"capital digits", `caf\uDCE9`, `caf\udce9`},
		{"a text that was cut in the middle of a character", `a\ud83d`, `a\ud83d`},
		{"two first halves", `\ud83d\ud83d\ude00`, `\ud83d` + "\U0001f600"},
		{"a whole pair is a character", `\ud83d\ude00`, "\U0001f600"},
		{"an escaped backslash begins no escape", `\\ud83d`, `\ud83d`},
		{"a backslash, and then a half", `\\\ud83d`, `\\ud83d`},
	}
	for _, test := range tests {
		h := read(t, test.reason, callOf(test.escaped))
		got, _ := h.events[0].Value.Get("args").Get("path").Str()
		if got != test.want {
			t.Errorf("%s: the text is %q, want %q", test.reason, got, test.want)
		}
		told := len(h.notes) > 0
		if lone := strings.Contains(test.reason, "hal") || strings.Contains(test.reason, "byte") ||
			strings.Contains(test.reason, "cut") || strings.Contains(test.reason, "digits"); told != lone {
			t.Errorf("%s: the notes are %v", test.reason, h.notes)
		}
	}
}

// TestALogOfAnotherKindBehindItIsAnError: each log, with one of each other format appended, is read up to there; so is
// one of OpenHands with one of its other generation.
func TestALogOfAnotherKindBehindItIsAnError(t *testing.T) {
	t.Parallel()
	for first := range samples {
		for second := range samples {
			if first == second {
				continue
			}
			begin := strings.TrimRight(sample(t, first), "\n") + "\n"
			alone := read(t, first, begin)
			var h heard
			err := Read(first, strings.NewReader(begin+sample(t, second)), "", h.sink())
			var told *Error
			if !errors.As(err, &told) {
				t.Errorf("%s and then %s: the error is %v, after %d and %d events", first, second, err,
					len(alone.events), len(h.events))
			}
		}
	}
}

// TestARecordOfAnotherFormatIsTheOneAtFault: also near the beginning of a log. The events before it are kept.
func TestARecordOfAnotherFormatIsTheOneAtFault(t *testing.T) {
	t.Parallel()
	for name := range samples {
		if name == "loopstone.jsonl" {
			continue
		}
		var h heard
		message := `{"type":"message","role":"user","content":"go"}` + "\n"
		text := message + callOf("a") + compact(t, sample(t, name)) + callOf("b")
		err := Read("x", strings.NewReader(text), "", h.sink())
		if err == nil || !strings.HasPrefix(err.Error(), "x:3: ") || len(h.events) != 2 {
			t.Errorf("%s: the error is %v, after %d events", name, err, len(h.events))
		}
	}
}

// compact returns each JSON text on a line of its own.
func compact(t *testing.T, text string) string {
	t.Helper()
	var lines strings.Builder
	for d := json.NewDecoder(strings.NewReader(text)); d.More(); {
		var line bytes.Buffer
		var v json.RawMessage
		if err := errors.Join(d.Decode(&v), json.Compact(&line, v)); err != nil {
			t.Fatal(err)
		}
		lines.WriteString(line.String() + "\n")
	}
	return lines.String()
}

// TestALargeFirstRecordIsRead: what tells the format may stand behind a text of megabytes.
func TestALargeFirstRecordIsRead(t *testing.T) {
	t.Parallel()
	large := strings.Repeat("x", 3<<20)
	tests := []struct{ format, text, last string }{
		{"loopstone", `{"content":"` + large + `","role":"user","type":"message"}` + "\n" + callOf("a"), "2"},
		{"claude-code", `{"message":{"content":"` + large +
			`","role":"user"},"type":"user","sessionId":"s","uuid":"u"}` + "\n" +
			`{"message":{"content":"b","role":"user"},"type":"user","sessionId":"s","uuid":"v"}`, "2"},
		{"codex", `{"payload":{"content":[{"text":"` + large + `","type":"input_text"}],"role":"user","type":"message"},` +
			`"type":"response_item"}` + "\n" +
			`{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"b"}]}}`, "2"},
		{"openai-chat", `[{"content":"` + large + `","role":"user"},{"role":"user","content":"b"}]`, `"/1"`},
		{"swe-agent", `{"environment":"` + large + `","trajectory":[{"action":"ls","observation":""}]}`, `"/trajectory/0"`},
	}
	for _, test := range tests {
		h := read(t, test.format, test.text)
		last := h.events[len(h.events)-1]
		if len(h.events) < 2 || last.Run.Format != test.format || last.Place.String() != test.last {
			t.Errorf("%s: %d events, the last of the format %s at %s, want one at %s",
				test.format, len(h.events), last.Run.Format, last.Place, test.last)
		}
	}
	err := Read("x", strings.NewReader(`{"a":"`+strings.Repeat("x", mostBytes)+`"}`), "", Sink{})
	if want := "its first record has more than 64 MB"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("a first record that is too large: the error is %v, want %s", err, want)
	}
}

// TestAnErrorIsShort: a pointer into a log that is nested deep is cut in its middle.
func TestAnErrorIsShort(t *testing.T) {
	t.Parallel()
	const deep = 9_000
	text := callOf("a") + `{"type":"reply","a":` + strings.Repeat("[", deep) + "x" + strings.Repeat("]", deep) + "}\n"
	err := Read("x", strings.NewReader(text), "", Sink{Event: func(Event) error { return nil }})
	if err == nil || len(err.Error()) > 400 || !strings.HasPrefix(err.Error(), `x:2: at "/a/0/0/`) {
		t.Errorf("the error is %.500v", err)
	}
}
