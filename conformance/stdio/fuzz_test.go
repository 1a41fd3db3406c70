//go:build unix

package stdio_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/faulty"
	"github.com/loopstone/loopstone/spec"
)

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
		if err := stdio.Serve(context.Background(), faulty.Port(), bytes.NewReader(in), &out); err != nil {
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
