package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/internal/suite/verify"
)

// TestEveryFieldOfAStatementIsVerified edits each leaf of a real statement, and takes each member and item away. Such a
// statement cannot be read, or differs from a new run; but for the fields that may differ.
func TestEveryFieldOfAStatementIsVerified(t *testing.T) {
	long(t, "it runs the suite for each field")
	t.Parallel()
	for _, test := range []struct {
		reason string
		port   []string
		free   []string // fields that may differ for this port, beside [verify.MayDiffer]
	}{
		{"a port that is right", referencePort(t), nil},
		{"a port that fails cases and laws", portOf(t, "consecutive.py"), []string{
			"summary.events", "summary.requests", // as many as it takes to shrink the traces of a broken law
		}},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			stated, now := statedTwice(t, test.port)
			if differences := verify.Compare(stated.read(t), now); differences != nil {
				t.Fatalf("nothing was edited: %q", differences)
			}
			for _, f := range verify.MayDiffer() {
				test.free = append(test.free, f.Path)
			}
			stated.editEach(t, now, test.free)
		})
	}
}

// editEach checks that each edit of the sample lines is told, but for the fields that are free.
func (s statedRun) editEach(t *testing.T, now *conformance.Report, free []string) {
	t.Helper()
	edits := 0
	for at := range s.lines {
		if !s.isSample[at] {
			continue
		}
		var line any
		if err := json.Unmarshal([]byte(s.lines[at]), &line); err != nil {
			t.Fatal(err)
		}
		kind := line.(map[string]any)["type"].(string)
		for path, edited := range editsOf(kind, line) {
			edits++
			text, err := json.Marshal(edited)
			if err != nil {
				t.Fatal(err)
			}
			one := statedRun{lines: slices.Clone(s.lines)}
			one.lines[at] = string(text)
			field := strings.TrimSuffix(path, gone)
			isFree := slices.ContainsFunc(free, func(f string) bool { return report.IsBelow(field, f) })
			if !isFree && !one.differs(now) {
				t.Errorf("%s: it still holds with %.300s", path, text)
			}
		}
	}
	if edits < 100 {
		t.Errorf("only %d edits were tried", edits)
	}
	t.Logf("%d edits", edits)
}

// statedRun is a statement, line by line, and which of its lines are edited: one of each kind.
type statedRun struct {
	lines    []string
	isSample map[int]bool
}

// statedTwice returns a statement of a port that fails some cases, and the report of the same run once more.
func statedTwice(t *testing.T, port []string) (statedRun, *conformance.Report) {
	t.Helper()
	folder := t.TempDir()
	args := []string{"test", "--checks", "3", "--case", "history-w*,history-law-a*,protocol-e*"}
	run(t, folder, port, with(args, "--statement", "@/s.jsonl")...)
	stated := statedRun{
		lines:    strings.Split(strings.TrimSpace(read(t, filepath.Join(folder, "s.jsonl"))), "\n"),
		isSample: map[int]bool{},
	}
	seeds := strings.Trim(strings.ReplaceAll(fmt.Sprint(stated.read(t).Settings.Seeds), " ", ","), "[]")
	run(t, folder, port, with(args, "--seed", seeds, "--report", "jsonl=@/now.jsonl")...)
	now, err := report.ReadJSONL(strings.NewReader(read(t, filepath.Join(folder, "now.jsonl"))))
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for i, line := range stated.lines {
		var members map[string]any
		if err := json.Unmarshal([]byte(line), &members); err != nil {
			t.Fatal(err)
		}
		kind := fmt.Sprint(members["type"], members["status"], slices.Sorted(maps.Keys(members)))
		stated.isSample[i], kinds[kind] = !kinds[kind], true
	}
	return stated, now
}

func (s statedRun) read(t *testing.T) *conformance.Report {
	t.Helper()
	r, err := verify.Read([]byte(strings.Join(s.lines, "\n") + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// differs reports whether verify would find the statement wrong.
func (s statedRun) differs(now *conformance.Report) bool {
	r, err := verify.Read([]byte(strings.Join(s.lines, "\n") + "\n"))
	return err != nil || verify.Compare(r, now) != nil
}

// gone marks the path of what was taken away.
const gone = " (gone)"

// isNothing reports whether a member says what it says if it is not there: it is empty, or derived from others.
func isNothing(path string, value any) bool {
	switch v := value.(type) {
	case string:
		return v == ""
	case float64:
		return v == 0
	case bool:
		return !v
	case []any:
		return len(v) == 0
	default:
		return path == "summary.protocol" // earlier versions did not write it
	}
}

// editsOf returns the value with each of its leaves changed, and with each member and item taken away, by path.
func editsOf(path string, value any) map[string]any {
	all := map[string]any{}
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			within := path + "." + name
			if !isNothing(within, member) {
				without := maps.Clone(v)
				delete(without, name)
				all[within+gone] = without
			}
			for inner, edited := range editsOf(within, member) {
				other := maps.Clone(v)
				other[name] = edited
				all[inner] = other
			}
		}
	case []any:
		for i, item := range v {
			all[fmt.Sprintf("%s.%d", path, i)+gone] = slices.Delete(slices.Clone(v), i, i+1)
			for inner, edited := range editsOf(fmt.Sprintf("%s.%d", path, i), item) {
				other := slices.Clone(v)
				other[i] = edited
				all[inner] = other
			}
		}
	case string:
		all[path] = v + "x"
	case float64:
		all[path] = v + 1
	case bool:
		all[path] = !v
	}
	return all
}

// TestOwnRulesAreShown wherever the result of their port is: on the page, on the badge, and when it is verified.
func TestOwnRulesAreShown(t *testing.T) {
	long(t, "it runs ports with rules of their own")
	t.Parallel()
	folder, port := t.TempDir(), portOf(t, "mine.py")
	const rules = `@mine: {"rules":[{"rungs":[{"at":4}]}]}`
	out, outcome := run(t, folder, port, "test", "--detector", "@mine", "--checks", "20", "--report", "text",
		"--report", "badge=@/badge.json", "--report", "markdown=@/page.md", "--statement", "@/s.jsonl")
	if outcome != conformance.Conformant || !says(out, "@mine: own rules; ") || !says(out, rules) {
		t.Errorf("got %s, want %q in\n%s", outcome, rules, out)
	}
	for file, want := range map[string]string{
		"badge.json": `"@mine, own rules {\"rules\":[{\"rungs\":[{\"at\":4}]}]}: `,
		"page.md":    `&#64;mine: {"rules":\[{"rungs":\[{"at":4}\]}\]}`,
		"s.jsonl":    `"config":{"rules":[{"rungs":[{"at":4}]}]}`,
	} {
		if text := read(t, filepath.Join(folder, file)); !strings.Contains(text, want) {
			t.Errorf("%s lacks %q:\n%.2000s", file, want, text)
		}
	}
	out, outcome = run(t, folder, port, "verify", "@/s.jsonl")
	if outcome != conformance.Conformant || !says(out, "own rules of "+rules) || !says(out, "and from seed ") {
		t.Errorf("verify: got %s, want %q in\n%s", outcome, rules, out)
	}
	whole := read(t, filepath.Join(folder, "s.jsonl"))
	write(t, folder, "edited.jsonl", strings.Replace(whole, `"detector":"@mine","readings"`, `"detector":"@roo","readings"`, 1))
	out, outcome = run(t, folder, port, "verify", "@/edited.jsonl")
	if outcome != conformance.NotConformant {
		t.Errorf("rules that call themselves a profile: got %s in\n%s", outcome, out)
	}
}
