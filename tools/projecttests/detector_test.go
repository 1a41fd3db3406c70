package projecttests

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// root is the module's folder.
const root = "../.."

// most is how many files a detector may touch; those that programs write (schemas, the floor) are not among them.
const most = 10

// addition is a text that stands, in the module with the toy, after another one.
type addition struct{ file, after, text string }

var additions = []addition{
	{"spec/detectors.go", "DetectorID = \"guards\"\n", "\tToy DetectorID = \"toy\"\n"},
	{"spec/detectors.go", "VerdictKind = \"consecutive_errors\"\n", "\tKindEcho VerdictKind = \"echo\"\n"},
	{"spec/detectors.go", "var detectors = []Definition{\n", `	{
		ID: Toy, Prefix: "TY", Title: "the same output again",
		Documents: []string{"D2"},
		Readings:  []Reading{Text},
		Features:  []Feature{Evidence},
		Observes:  []EventType{Output},
		Settings:  []Parameter{threshold("times", 2, "Equal outputs in a row that are a loop.")},
		Rules: []Rule{{
			Kind: KindEcho, Counts: []EventType{Output}, Required: []string{"count"},
		}},
	},
`},
	{"conformance/laws/grounds.go", "map[spec.VerdictKind]grounds{\n", "\tspec.KindEcho: {of: isOutput, run: true, latest: true},\n"},
	{"reference/reference.go", "reference/swarm\"\n", "\t\"github.com/loopstone/loopstone/reference/toy\"\n"},
	{"reference/reference.go", "guards.New, nil},\n", "\t\t{spec.Toy, toy.New, nil},\n"},
	{
		"internal/suite/tracegen/model.go", "var models = map[spec.DetectorID]model{\n",
		"\tspec.Toy: {templates: []func(*draft) template{(*draft).outputTemplate}},\n",
	},
	{"spec/clauses/protocol.md", "guards       GU       D2, D3     text\n", "toy          TY       D2         text\n"},
}

// TestAnEighthDetectorTakesFewFiles adds the toy and demands what make check and a port's author would: a suite without
// a problem, and a reference that is conformant, on cases and on generated traces.
func TestAnEighthDetectorTakesFewFiles(t *testing.T) {
	files := newFiles(t)
	for _, a := range additions {
		files[a.file] = a.added(t, files[a.file])
	}
	if len(files) > most {
		t.Errorf("the toy touches %d files, want at most %d: %v", len(files), most, files)
	}
	if testing.Short() {
		t.Skip("it builds the module once more: make long runs it")
	}
	overlay := overlayOf(t, files)
	run(t, overlay, "test", "-vet=off", "-run", "TestTheTable|TestClauses|TestEveryRow", "./spec", "./reference")
	files["cases/compiled.jsonl"] = compiledSuite(t, overlay)
	overlay = overlayOf(t, files)
	run(t, overlay, "run", "./cmd/loopstone", "lint")
	out := run(t, overlay, "run", "./cmd/loopstone", "test", "--reference", "--detector", "toy")
	for _, want := range []string{"toy", "conformant"} {
		if !strings.Contains(out, want) {
			t.Errorf("the report does not say %q:\n%s", want, out)
		}
	}
}

// newFiles returns the texts of the files that the toy brings along, by their paths in the module.
func newFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS("testdata/toy"), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join("testdata/toy", path))
		files[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// added returns the file with the addition; text is what it is so far, empty where it is as it lies there.
func (a addition) added(t *testing.T, text string) string {
	t.Helper()
	if text == "" {
		read, err := os.ReadFile(filepath.Join(root, a.file))
		if err != nil {
			t.Fatal(err)
		}
		text = string(read)
	}
	before, behind, found := strings.Cut(text, a.after)
	if !found {
		t.Fatalf("%s has no %q any more", a.file, a.after)
	}
	return before + a.after + a.text + behind
}

// overlayOf writes the files, and how go is to lay them over the module.
func overlayOf(t *testing.T, files map[string]string) string {
	t.Helper()
	module, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	dir, replace := t.TempDir(), map[string]string{}
	for path, text := range files {
		replace[filepath.Join(module, path)] = write(t, filepath.Join(dir, path), text)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	return write(t, filepath.Join(dir, "overlay.json"), string(overlay))
}

// compiledSuite returns the suite with the toy's cases as programs load it.
func compiledSuite(t *testing.T, overlay string) string {
	t.Helper()
	dir := t.TempDir()
	test := filepath.Join(dir, "cases.test")
	run(t, overlay, "test", "-c", "-o", test, "./cases")
	update := exec.Command(test, "-test.run=TestCompiledSuiteIsUpToDate", "-update")
	update.Dir = dir
	if out, err := update.CombinedOutput(); err != nil {
		t.Fatalf("compile the suite: %v\n%s", err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "compiled.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// run runs the go command on the module with the overlay, and returns what it prints.
func run(t *testing.T, overlay, verb string, args ...string) string {
	t.Helper()
	out, err := tried(overlay, verb, args...)
	if err != nil {
		t.Fatalf("go %s %s: %v\n%s", verb, strings.Join(args, " "), err, out)
	}
	return out
}

// tried runs the go command on the module with the overlay, and returns what it prints and whether it failed.
func tried(overlay, verb string, args ...string) (string, error) {
	command := exec.Command("go", append([]string{verb, "-overlay", overlay}, args...)...)
	command.Dir = root
	out, err := command.CombinedOutput()
	return string(out), err
}
