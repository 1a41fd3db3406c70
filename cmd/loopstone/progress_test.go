package main

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lab/agentlogs"
)

// TestTheLineSaysWhatFailsAndWhatIsLate: who watches it need not wait for the report.
func TestTheLineSaysWhatFailsAndWhatIsLate(t *testing.T) {
	t.Parallel()
	p := progressOn(io.Discard)
	p.begin(func() int { return 40 })
	status := func(s conformance.Status) conformance.Result {
		return conformance.Result{Status: s, Case: string(s)}
	}
	p.tests(status(conformance.Passed), status(conformance.Failed), status(conformance.Broken), status(conformance.Undecided),
		status(conformance.Known))
	p.clear()
	start := p.last
	p.began = start.Add(-10 * time.Second)
	for _, test := range []struct {
		reason string
		after  time.Duration
		want   string
	}{
		{"while tests are done", time.Second, "5 of 40 tests, 2 failed, 1 without an answer, about 1m17s left; latest failure: broken"},
		{"while the port is silent", 4 * time.Second, "5 of 40 tests, 2 failed, 1 without an answer, none done for 4s; latest failure: broken"},
	} {
		if got := p.text(start.Add(test.after)); got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}

// TestTheTimeLeftIsThatOfTheTestsLeft: as many seconds for each as the ones that are done took.
func TestTheTimeLeftIsThatOfTheTestsLeft(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason    string
		done, all int
		elapsed   time.Duration
		want      string
	}{
		{"a quarter is done", 25, 100, 10 * time.Second, ", about 30s left"},
		{"minutes are left", 1, 100, 2 * time.Second, ", about 3m18s left"},
		{"nearly all are done", 99, 100, 10 * time.Second, ", about 1s left"},
		{"the first second tells little", 25, 100, time.Second / 2, ""},
		{"nothing is done", 0, 100, time.Minute, ""},
		{"all are done", 100, 100, time.Minute, ""},
	} {
		if got := timeLeft(test.done, test.all, test.elapsed); got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}

// TestTheLineFitsTheTerminal: a line that wraps cannot be written over.
func TestTheLineFitsTheTerminal(t *testing.T) {
	t.Parallel()
	var shown strings.Builder
	p := &progress{w: &shown, width: 30}
	p.line(strings.Repeat("detector=ü/", 20))
	line, _ := strings.CutPrefix(shown.String(), "\r\x1b[K")
	if n := utf8.RuneCountInString(line); n != 29 || !strings.HasSuffix(line, "…") {
		t.Errorf("%d characters: %q", n, line)
	}
}

// TestThereIsNoLineInCI, whatever standard error is.
func TestThereIsNoLineInCI(t *testing.T) {
	for value, want := range map[string]bool{"": false, "false": false, "true": true, "1": true} {
		t.Setenv("CI", value)
		if got := inCI(); got != want {
			t.Errorf("CI=%q: got %v", value, got)
		}
	}
}

// TestTheLineSaysWhichLogsAreRead: score knows how many logs there are, replay does not.
func TestTheLineSaysWhichLogsAreRead(t *testing.T) {
	t.Parallel()
	var shown strings.Builder
	p := &progress{w: &shown, width: 80, began: time.Now().Add(-10 * time.Second)}
	p.logs(25, 100)
	p.logs(26, 100) // sooner than the line may change
	p.logs(100, 100)
	p.shown = time.Time{}
	handed := 0
	sink := p.reading(agentlogs.Sink{Event: func(agentlogs.Event) error { handed++; return nil }})
	for range 3 {
		if err := sink.Event(agentlogs.Event{Run: &agentlogs.Run{Source: "a\nlog.jsonl"}}); err != nil {
			t.Fatal(err)
		}
		p.shown = time.Time{}
	}
	want := "\r\x1b[K25 of 100 logs, about 30s left\r\x1b[K100 of 100 logs"
	for n := range 3 {
		want += fmt.Sprintf("\r\x1b[K%d events, now of a\\nlog.jsonl", n)
	}
	if got := shown.String(); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if handed != 3 {
		t.Errorf("%d of 3 events were handed on", handed)
	}
}
