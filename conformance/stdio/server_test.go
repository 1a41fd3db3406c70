//go:build unix

package stdio_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/testing/faultyadapter"
	"github.com/loopstone/loopstone/spec"
)

func TestServeTakesALastLineWithoutNewline(t *testing.T) {
	var out bytes.Buffer
	if err := stdio.Serve(context.Background(), faultyadapter.Port(), strings.NewReader(open), &out); err != nil {
		t.Fatalf("Serve: %v", err)
	}
	compareLines(t, strings.Split(out.String(), "\n"), []string{opened, ""})
}

func TestServeTakesALongLine(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("x", 2<<20)
	in := `{"jsonrpc":"2.0","id":1,"method":"function/call","params":{"function":"history.hash","args":{"a":"` + text + `"}}}` + "\n"
	var out bytes.Buffer
	if err := stdio.Serve(context.Background(), faultyadapter.Port(), strings.NewReader(in), &out); err != nil {
		t.Fatalf("Serve: %v", err)
	}
	if want := `{"jsonrpc":"2.0","id":1,"result":{"value":{"a":"` + text + `"}}}` + "\n"; out.String() != want {
		t.Errorf("got %d bytes, want %d", out.Len(), len(want))
	}
}

// writes counts calls of Write.
type writes int

func (w *writes) Write(p []byte) (int, error) {
	*w++
	return len(p), nil
}

func TestServeWritesPipelinedAnswersTogether(t *testing.T) {
	var out writes
	in := strings.NewReader(open + "\n" + strings.Repeat(observeLine, 300))
	if err := stdio.Serve(context.Background(), faultyadapter.Port(), in, &out); err != nil {
		t.Fatalf("Serve: %v", err)
	}
	if out > 30 { // two or three, but for answers that were held back for too long on a busy machine
		t.Errorf("301 requests that came together were answered by %d writes, want at most 30", out)
	}
}

func TestServeAnswersBeforeItWaits(t *testing.T) {
	// Half of the next request is there already: the answer must not wait for the other half.
	wire := openWire(t, "healthy")
	send(t, wire, open+"\n"+open[:20])
	line, err := wire.Receive(settleTime)
	if err != nil || string(line) != opened {
		t.Errorf("got %q, %v, want %s", line, err, opened)
	}
}

// broken is a port that cannot be asked.
type broken struct{ spec.Port }

var errBroken = errors.New("out of order")

func (broken) Open(context.Context, spec.DetectorID, spec.Reading, spec.Value) (spec.Session, error) {
	return nil, errBroken
}

func TestServeEndsWithAPortThatCannotBeAsked(t *testing.T) {
	var out bytes.Buffer
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize"}` + "\n" + open + "\n")
	err := stdio.Serve(context.Background(), broken{faultyadapter.Port()}, in, &out)
	if !errors.Is(err, errBroken) {
		t.Errorf("got error %v, want %v", err, errBroken)
	}
	if n := strings.Count(out.String(), "\n"); n != 1 {
		t.Errorf("got %d answers, want the one before the error:\n%s", n, out.String())
	}
}

// full is an output that takes nothing.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestServeReportsAnOutputThatFails(t *testing.T) {
	err := stdio.Serve(context.Background(), faultyadapter.Port(), strings.NewReader(open+"\n"), full{})
	if !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("got error %v, want %v", err, io.ErrShortWrite)
	}
}

// closing is a port that counts its open sessions.
type closing struct {
	spec.Port
	sessions *int
}

type closingSession struct {
	spec.Session
	sessions *int
}

func (c closing) Open(ctx context.Context, d spec.DetectorID, r spec.Reading, config spec.Value) (spec.Session, error) {
	s, err := c.Port.Open(ctx, d, r, config)
	*c.sessions++
	return closingSession{s, c.sessions}, err
}

func (s closingSession) Close(ctx context.Context) error {
	*s.sessions--
	return s.Session.Close(ctx)
}

func TestServeClosesSessionsThatAreLeftOpen(t *testing.T) {
	sessions := 0
	in := strings.NewReader(open + "\n" + strings.Replace(open, `"a"`, `"b"`, 1) + "\n")
	if err := stdio.Serve(context.Background(), closing{faultyadapter.Port(), &sessions}, in, io.Discard); err != nil {
		t.Fatal(err)
	}
	if sessions != 0 {
		t.Errorf("%d sessions are still open", sessions)
	}
}

// FuzzServe sends the server anything at all: it must not fail, and what it prints must be answers, no more of them
// than there were lines.
func FuzzServe(f *testing.F) {
	for _, x := range exchanges {
		f.Add([]byte(strings.Join(x.in, "\n") + "\n"))
	}
	f.Add([]byte(strings.Repeat("[", 20_000)))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1e999,"method":"session/observe","params":{"session":"a","events":[null,7,[]]}}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		var out bytes.Buffer
		if err := stdio.Serve(context.Background(), faultyadapter.Port(), bytes.NewReader(in), &out); err != nil {
			t.Fatalf("Serve: %v", err)
		}
		lines := strings.Split(out.String(), "\n")
		if rest := lines[len(lines)-1]; rest != "" {
			t.Fatalf("the output ends in %q", rest)
		}
		lines = lines[:len(lines)-1]
		if most := bytes.Count(in, []byte{'\n'}) + 1; len(lines) > most {
			t.Fatalf("%d answers to at most %d lines", len(lines), most)
		}
		for _, line := range lines {
			expectAnswer(t, line)
		}
	})
}

func expectAnswer(t *testing.T, line string) {
	t.Helper()
	v, err := spec.ParseValue([]byte(line))
	if err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	version, _ := v.Get("jsonrpc").Str()
	if version != "2.0" || v.Get("id").IsAbsent() || v.Get("result").IsAbsent() == v.Get("error").IsAbsent() {
		t.Fatalf("no answer: %s", line)
	}
}
