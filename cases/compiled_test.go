package cases

import (
	"errors"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/loopstone/loopstone/internal/testing/golden"
)

// TestCompiledSuiteIsUpToDate: with -update it writes the compiled suite.
func TestCompiledSuiteIsUpToDate(t *testing.T) {
	if golden.Updating() {
		text, err := compile(Files())
		if err != nil {
			t.Fatal(err)
		}
		golden.Write(t, "compiled.jsonl", text)
		return
	}
	if err := LintCompiled(); err != nil {
		t.Error(err)
	}
}

// TestCompiledSuiteIsTheYAML: whatever a program loads is what the case files say, places included.
func TestCompiledSuiteIsTheYAML(t *testing.T) {
	t.Parallel()
	want, err1 := Load(Files())
	text, err2 := compile(Files())
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	neverYAML := func(name string, text []byte) ([]Case, error) { return nil, errors.New("YAML is read") }
	got, err := load(Files(), readCompiled(text).over(neverYAML))
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("compiled:\n%#v\nYAML:\n%#v", got[i], want[i])
		}
	}
}

// compiledFile has an event twice, so that it is shared.
const (
	compiledStep = "      - tool_call: {tool: t}\n        expect: {count: 1}\n"
	compiledFile = caseHead + "    steps:\n" + compiledStep + compiledStep
)

func filesOf(text string) fs.FS {
	return fstest.MapFS{"history/x.yaml": {Data: []byte(text)}, "history/y.yaml": {
		Data: []byte(strings.ReplaceAll(compiledFile, "history-x", "history-y")),
	}}
}

// TestEditedFileIsRead: a case file that was edited since the suite was compiled is read itself, and so is one whose
// compiled form cannot be read.
func TestEditedFileIsRead(t *testing.T) {
	t.Parallel()
	old, err := compile(filesOf(compiledFile))
	if err != nil {
		t.Fatal(err)
	}
	with := func(id string) string { return strings.Replace(string(old), `{"ID":"history-x"`, id, 1) }
	edited := strings.Replace(compiledFile, "count: 1", "count: 7", 1)
	tests := []struct {
		reason, compiled, text, want string
		readsYAML                    string // the files whose YAML is read
	}{
		{"nothing was edited", string(old), compiledFile, "1", ""},
		{"a demand was edited", string(old), edited, "7", "history/x.yaml"},
		{"nothing is compiled", "", compiledFile, "1", "history/x.yaml history/y.yaml"},
		{"half of a line", with(`{"ID":"history-x`), compiledFile, "1", "history/x.yaml"},
		{"a field of another kind", with(`{"ID":1`), compiledFile, "1", "history/x.yaml"},
	}
	for _, tt := range tests {
		var read []string
		var lock sync.Mutex // the files are read side by side
		parse := func(name string, text []byte) ([]Case, error) {
			lock.Lock()
			defer lock.Unlock()
			read = append(read, name)
			return Parse(name, text)
		}
		all, err := load(filesOf(tt.text), readCompiled([]byte(tt.compiled)).over(parse))
		if err != nil {
			t.Errorf("%s: %v", tt.reason, err)
			continue
		}
		if got := all[0].Steps[0].Expect[0].Members[0].Want.Equal.String(); got != tt.want {
			t.Errorf("%s: the case expects the count %s, want %s", tt.reason, got, tt.want)
		}
		slices.Sort(read)
		if got := strings.Join(read, " "); got != tt.readsYAML {
			t.Errorf("%s: the YAML of %q is read, want %q", tt.reason, got, tt.readsYAML)
		}
	}
}

// TestOutOfDate: lint names the files whose compiled form is old.
func TestOutOfDate(t *testing.T) {
	t.Parallel()
	now, err := compile(filesOf(compiledFile))
	if err != nil {
		t.Fatal(err)
	}
	withComment, err := compile(filesOf(compiledFile + "# a comment\n"))
	if err != nil {
		t.Fatal(err)
	}
	const advice = "cases/compiled.jsonl is out of date; run: make accept"
	tests := []struct{ reason, old, want string }{
		{"up to date", string(now), ""},
		{"the text of a file was edited", string(withComment), "cases/history/x.yaml: " + advice},
		{
			"what a case demands is compiled otherwise", strings.Replace(string(now), `{"ID":"history-y"`, `{"ID":"history-z"`, 1),
			"cases/history/y.yaml: " + advice,
		},
		{
			"a file was added", strings.ReplaceAll(string(now), "history/x.yaml", "history/w.yaml"),
			"cases/history/w.yaml: " + advice + "\ncases/history/x.yaml: " + advice,
		},
		{
			"a clause was edited", strings.Replace(string(now), `"sum":`, `"sum":1`, 1),
			"spec/clauses: " + advice,
		},
	}
	for _, tt := range tests {
		got := ""
		if err := outOfDate([]byte(tt.old), now); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.reason, got, tt.want)
		}
	}
}

// TestSummary: what is known without reading the cases is what they say.
func TestSummary(t *testing.T) {
	t.Parallel()
	all, err := Load(Files())
	if err != nil {
		t.Fatal(err)
	}
	count, digest, err := Summary()
	if err != nil || count != len(all) || digest != Digest(all) {
		t.Errorf("got %d cases, digest %s, %v; want %d, %s", count, digest, err, len(all), Digest(all))
	}
}
