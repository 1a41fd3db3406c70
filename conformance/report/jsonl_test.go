package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/conformance"
)

func TestReadJSONLKeepsEveryMemberOfAnyReport(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := hostileReport().Draw(t, "report")
		var b bytes.Buffer
		if err := Write("jsonl", &b, want, Options{}); err != nil {
			t.Fatal(err)
		}
		got, err := ReadJSONL(iotest.OneByteReader(&b))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("\n got %+v\nwant %+v", got, want)
		}
	})
}

func TestReadJSONLNoticesEveryTruncation(t *testing.T) {
	whole := rendered(t, "jsonl", unchecked(), sampleOptions())
	for n := range len(whole) - 1 { // without its last line end it is still complete
		if _, err := ReadJSONL(bytes.NewReader(whole[:n])); err == nil {
			t.Fatalf("the first %d of %d bytes are read without an error", n, len(whole))
		}
	}
}

func TestReadJSONLNoticesEveryMissingOrDoubleLine(t *testing.T) {
	lines := strings.SplitAfter(strings.TrimSpace(string(rendered(t, "jsonl", sample(), sampleOptions())))+"\n", "\n")
	lines = lines[:len(lines)-1] // what is after the last line end
	for i := range lines {
		without := strings.Join(append(append([]string{}, lines[:i]...), lines[i+1:]...), "")
		if _, err := ReadJSONL(strings.NewReader(without)); err == nil {
			t.Errorf("line %d is missing, and there is no error", i+1)
		}
		double := strings.Join(append(append([]string{}, lines[:i+1]...), lines[i:]...), "")
		if _, err := ReadJSONL(strings.NewReader(double)); err == nil {
			t.Errorf("line %d is there twice, and there is no error", i+1)
		}
	}
}

func TestReadJSONLNamesTheLineThatIsWrong(t *testing.T) {
	const run = `{"type":"run","suite":{},"port":{}}` + "\n"
	const end = `{"type":"summary","outcome":"undecided","exit":2,"counts":{"broken":0,"failed":0,"faulty":0,"known":0,"passed":0,"skipped":0,"undecided":0}}` + "\n"
	tests := []struct{ name, text, want string }{
		{"nothing", "", "it is empty"},
		{"no JSON", "hello\n", "line 1: invalid character"},
		{"no report", `{"jsonrpc":"2.0"}`, `line 1: the first line has the type ""`},
		{"an empty line", run + "\n" + end, "line 2: it ends too early"},
		{"another type", run + `{"type":"verdict"}`, `line 2: unknown type "verdict"`},
		{"two runs", run + run, "line 2: a second run"},
		{"a nameless result", run + `{"type":"result","clauses":["FP-1"],"status":"passed"}`, "line 2: a result must name its case"},
		{"a result of no clause", run + `{"type":"result","case":"x","clauses":[],"status":"passed"}`, "line 2: a result must name"},
		{"an unknown status", run + `{"type":"result","case":"x","clauses":["FP-1"],"status":"ok"}`, `line 2: case x: unknown status "ok"`},
		{"a member of a wrong type", run + `{"type":"result","case":1}`, "line 2: /case: want a text, got number"},
		{"a member twice", run + `{"type":"result","case":"x","clauses":["FP-1"],"status":"failed","status":"passed"}`, `line 2: the member "status" is there twice`},
		{"a failure that is called a pass", run + `{"type":"result","case":"x","clauses":["FP-1"],"status":"passed","failure":{}}`, "line 2: case x: it is passed, with a failure"},
		{"a failure that is not described", run + `{"type":"result","case":"x","clauses":["FP-1"],"status":"failed"}`, "line 2: case x: it is failed, without a failure"},
		{"an outcome that the results do not have", run + strings.Replace(end, `"exit":2`, `"exit":0`, 1), "line 2: the summary says undecided (0), the results come to undecided (2)"},
		{"an outcome that a terminal would obey", run + strings.Replace(end, `"undecided"`, `"\u001b[31m\n::error::"`, 1), `the summary says \x1b[31m\n::error:: (2)`},
		{"a summary that lies", run + strings.Replace(end, `"passed":0`, `"passed":9`, 1), "line 2: the summary counts 9 passed, the results before it nothing"},
		{"more after the end", run + end + end, "line 3: the report goes on after its summary"},
		{"no end", run, "it ends after line 1 without a summary"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, err := ReadJSONL(strings.NewReader(test.text))
			if err == nil || !strings.Contains(err.Error(), test.want) || r != nil {
				t.Errorf("got %v, %v; want an error with %q", r, err, test.want)
			}
		})
	}
}

// endless is a line that has no end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestReadJSONLReadsNoEndlessLine(t *testing.T) {
	if _, err := ReadJSONL(endless{}); err == nil || !strings.Contains(err.Error(), "line 1: it has more than 64 MB") {
		t.Errorf("got %v, want an error that names the limit", err)
	}
}

func TestReadJSONLPassesOnWhatTheReaderSays(t *testing.T) {
	broken := errors.New("the disk is gone")
	if _, err := ReadJSONL(iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}

// TestAVerboseReportExplains: each test that a text report explains has the same text, and so has the run; a reader of
// the report gets what it gets without them.
func TestAVerboseReportExplains(t *testing.T) {
	t.Parallel()
	options := sampleOptions()
	plain := rendered(t, "jsonl", sample(), options)
	options.Verbose = true
	verbose, page := rendered(t, "jsonl", sample(), options), string(rendered(t, "text", sample(), options))
	explained := 0
	for line := range bytes.Lines(verbose) {
		var one struct{ Status, Explanation string }
		if err := json.Unmarshal(line, &one); err != nil {
			t.Fatal(err)
		}
		if one.Explanation == "" {
			continue
		}
		if explained++; one.Status != "known" && !strings.Contains(page, one.Explanation) {
			t.Errorf("the text report has not:\n%s", one.Explanation)
		}
	}
	wrong := 1 // the run
	for _, r := range sample().Results {
		if r.Status != conformance.Passed && r.Status != conformance.Skipped {
			wrong++
		}
	}
	if explained != wrong {
		t.Errorf("%d explanations, want %d", explained, wrong)
	}
	want, err := ReadJSONL(bytes.NewReader(plain))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ReadJSONL(bytes.NewReader(verbose)); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n got %+v\nwant %+v", err, got, want)
	}
}
