package main

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/spec"
)

// fixture is a detector of our own where attocode's is expected.
func fixture(t *testing.T) original {
	t.Helper()
	o := original{
		name: "attocode", file: "src/attocode/integrations/budget/loop_detector.py", lines: []span{{13, 19}},
		profiles: []spec.DetectorID{"@attocode"}, tests: []string{"tests/loops.py"},
	}
	text, err := os.ReadFile(filepath.Join("testdata", o.name, o.file))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(text)
	o.hash = hex.EncodeToString(sum[:])
	return o
}

// TestMutantsAreJudged plants faults in the fixture: one that changes nothing, and some that cases and its own test kill.
func TestMutantsAreJudged(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a port many times")
	}
	t.Chdir("..") // where the command runs
	tools := place{from: "originalmutants/testdata", modules: ".", python: "python3", loopstone: "."}
	if err := tools.find(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Chdir("originalmutants")
	o := fixture(t)
	t.Chdir("..")
	s := &results{folder: t.TempDir()}
	rec, err := o.judge(t.Context(), tools, t.TempDir(), 100, s, func(verdict) {})
	if err != nil {
		t.Fatal(err)
	}
	if rec.Traces+rec.Others != 100 || rec.Traces < 95 || !rec.HasTests {
		t.Errorf("%d traces are played, %d are kept out, want 100 in all, and tests %t", rec.Traces, rec.Others, rec.HasTests)
	}
	for _, test := range []struct{ reason, mutant, want string }{
		{"an unused number", `13:23: "7" -> "8"`, "is the same"},
		{"a count that the project's test sees", `16:67: "3" -> "4"`, "cases own"},
		{"a window that it does not see", `19:66: "20" -> "21"`, "cases"},
	} {
		i := slices.IndexFunc(rec.Verdicts, func(v verdict) bool { return v.String() == test.mutant })
		if i < 0 {
			t.Errorf("%s: there is no %s", test.reason, test.mutant)
			continue
		}
		v := rec.Verdicts[i]
		if got := fate(v); got != test.want {
			t.Errorf("%s: %s: got %q, want %q", test.reason, test.mutant, got, test.want)
		}
	}
}

// TestWhatIsKnownIsNotJudgedAgain looks at the file of results alone.
func TestWhatIsKnownIsNotJudgedAgain(t *testing.T) {
	t.Parallel()
	s := &results{folder: t.TempDir()}
	rec := record{original: original{name: "x"}, Suite: "digest", Drawn: 9}
	v := verdict{mutant: mutant{Line: 7, Column: 2, Old: "a", New: "b"}, Starts: true, Differs: true, First: "@x-1"}
	if known, err := s.known(rec); err != nil || len(known) > 0 {
		t.Fatalf("got %v, %v before anything was noted", known, err)
	}
	if err := s.note(&rec, v); err != nil {
		t.Fatal(err)
	}
	if known, err := s.known(rec); err != nil || known[v.String()] != v {
		t.Errorf("got %v, %v, want what was noted", known, err)
	}
	for _, other := range []record{{original: rec.original, Suite: "other", Drawn: 9}, {original: rec.original, Suite: "digest"}} {
		if known, err := s.known(other); err != nil || len(known) > 0 {
			t.Errorf("with %q and %d traces: got %v, %v, want nothing", other.Suite, other.Drawn, known, err)
		}
	}
	if err := os.WriteFile(s.file("x"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.known(rec); err == nil {
		t.Error("a file that is cut off is read")
	}
}

// fate returns in words how a mutant fared.
func fate(v verdict) string {
	switch {
	case !v.Starts:
		return "does not start"
	case !v.isDistinguishable():
		return "is the same"
	}
	var kills []string
	for _, k := range []struct {
		is   bool
		name string
	}{{v.Cases, "cases"}, {v.Own, "own"}} {
		if k.is {
			kills = append(kills, k.name)
		}
	}
	return strings.Join(kills, " ")
}

func TestAnotherFileIsRefused(t *testing.T) {
	t.Parallel()
	o := fixture(t)
	if _, err := o.read("testdata"); err != nil {
		t.Error(err)
	}
	o.hash = strings.Repeat("0", 64)
	if _, err := o.read("testdata"); err == nil || !strings.Contains(err.Error(), "is not the file") {
		t.Errorf("got %v, want an error about the file", err)
	}
	o.name, o.repository = "none", "loopstone/none"
	if _, err := o.read("testdata"); err == nil || !strings.Contains(err.Error(), "loopstone/none") {
		t.Errorf("got %v, want an error that says where the file is from", err)
	}
}

func TestTheTableIsRead(t *testing.T) {
	t.Parallel()
	list, err := readOriginals("originals.yaml", table)
	if err != nil || len(list) < 6 {
		t.Fatalf("got %d originals and %v", len(list), err)
	}
	for _, o := range list {
		folder := "ports/" + o.name
		if o.isPython() {
			folder = "ports/python/" + (&workplace{original: o}).module() + ".py"
		}
		if _, err := ports.Open(folder); err != nil || len(o.hash) != 64 || len(o.commit) != 40 {
			t.Errorf("%s: %v, commit %s, hash %s", o.name, err, o.commit, o.hash)
		}
	}
	if _, err := readOriginals("t", []byte(`originals: [{name: a, repository: b, commit: c, file: d, sha256: e,
 lines: [all], profiles: ["@roo"]}]`)); err == nil || !strings.Contains(err.Error(), "29-32") {
		t.Errorf("got %v, want an error about the lines", err)
	}
}
