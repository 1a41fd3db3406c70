package projecttests

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// recordEnv names the folder in which an adapter made of this binary writes down what it reads and writes.
const recordEnv = "LOOPSTONE_RECORD_LINES"

func TestMain(m *testing.M) {
	folder := os.Getenv(recordEnv)
	if folder == "" {
		os.Exit(m.Run())
	}
	requests, err1 := os.Create(filepath.Join(folder, "requests"))
	answers, err2 := os.Create(filepath.Join(folder, "answers"))
	in, out := io.TeeReader(os.Stdin, requests), io.MultiWriter(answers, os.Stdout)
	if errors.Join(err1, err2, stdio.Serve(context.Background(), reference.Port(), in, out)) != nil {
		os.Exit(1)
	}
}

func TestSchemasAcceptEveryFile(t *testing.T) {
	for pattern, files := range map[string]fs.FS{"cases:*/*.yaml": cases.Files(), "claims:*.yaml": spec.ClaimFiles()} {
		schema, pattern, _ := strings.Cut(pattern, ":")
		paths, err := fs.Glob(files, pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %v, %v", pattern, paths, err)
		}
		for _, path := range paths {
			text, err := fs.ReadFile(files, path)
			if err := errors.Join(err, check(t, schema, parsed(t, string(text)))); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
}

// TestSchemasAcceptWhatIsReallyWritten runs the suite over a pipe and shows the schemas each line and each verdict, and
// the report. What differs in nothing but names of sessions and numbers of requests is looked at once: thousands of
// verdicts are equal, and validation is slow.
func TestSchemasAcceptWhatIsReallyWritten(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs commands of each kind: make long runs it")
	}
	w := written{t: t, seen: map[string]bool{}, requests: map[string]spec.Value{}, detectors: map[string]string{}}
	folder := t.TempDir()
	w.report(runSuite(t, folder), nil)
	text, err := os.ReadFile(filepath.Join(folder, "requests"))
	for _, line := range lines(t, text, err) {
		w.requests[line.Get("id").String()] = line
		params := line.Get("params")
		if detector, opens := params.Get("detector").Str(); opens {
			w.detectors[params.Get("session").String()] = detector
		}
	}
	text, err = os.ReadFile(filepath.Join(folder, "answers"))
	for _, line := range lines(t, text, err) {
		w.answer(line, w.requests[line.Get("id").String()])
	}
	for _, kind := range each(kindsOf) {
		if !w.seen[kind] {
			t.Errorf("no verdict is of the kind %s", kind)
		}
	}
	// Not only what the reference does.
	for _, name := range []string{"sample", "conformant", "faulty", "strict", "unchecked"} {
		w.report(os.ReadFile("../../conformance/report/testdata/" + name + ".jsonl"))
	}
}

// runSuite judges an adapter that writes down its lines, and returns the report.
func runSuite(t *testing.T, folder string) []byte {
	t.Helper()
	suite, err1 := cases.All()
	command := stdio.Command{Path: os.Args[0], Env: []string{recordEnv + "=" + folder}}
	client, err2 := stdio.Start(t.Context(), command, stdio.Options{RequestTimeout: time.Minute})
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	r, err := conformance.Run(t.Context(), client, suite, conformance.Options{})
	client.Close()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := report.Write("jsonl", &b, r, report.Options{Started: time.Now()}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// written looks at what was written.
type written struct {
	t         *testing.T
	seen      map[string]bool
	requests  map[string]spec.Value // by id
	detectors map[string]string     // by session
}

func (w written) report(text []byte, err error) {
	for _, line := range lines(w.t, text, err) {
		w.accept("report", line)
	}
}

// answer looks at an answer and, where it is no refusal, at its request.
func (w written) answer(answer, request spec.Value) {
	w.accept("protocol", answer.With("id", spec.IntValue(1)))
	result, params := answer.Get("result"), request.Get("params")
	if result.IsAbsent() {
		return
	}
	method, _ := request.Get("method").Str()
	w.accept("protocol#/$defs/"+strings.ReplaceAll(method, "/", "-")+"-result", result)
	anySession := params.With("session", spec.StringValue("s"))
	w.accept("protocol", request.With("id", spec.IntValue(1)).With("params", anySession))
	if function, called := params.Get("function").Str(); called {
		w.accept("protocol#/$defs/"+function+"-value", result.Get("value"))
	}
	for _, verdict := range result.Get("verdicts").Items() {
		kind, _ := verdict.Get("kind").Str()
		w.seen[kind] = true
		w.accept("verdict#/$defs/"+w.detectors[params.Get("session").String()], verdict)
	}
}

func (w written) accept(schema string, v spec.Value) {
	if key := schema + v.String(); !w.seen[key] {
		w.seen[key] = true
		if err := check(w.t, schema, v); err != nil {
			w.t.Errorf("%s: %v\n%s", schema, err, v)
		}
	}
}
