package label

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func run(name string, finished bool, spans ...Span) Label {
	return Label{Corpus: "runs", Run: name, Labeller: "ann", Steps: 10, Spans: append([]Span{}, spans...), Finished: finished}
}

func TestALabelThatCannotBeIsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		label Label
		want  string
	}{
		"a loop of two steps":    {run("a", true, Span{1, 2, Same}), "spans/0: a loop has at least 3 steps"},
		"a loop behind the end":  {run("a", true, Span{7, 11, Same}), "last is 11, but the run has 10 steps"},
		"a step 0":               {run("a", true, Span{0, 4, Same}), "first is 0, but must lie behind step 0"},
		"two loops in one place": {run("a", true, Span{1, 4, Same}, Span{4, 8, Same}), "spans/1: first is 4"},
		"a kind that is not":     {run("a", true, Span{1, 4, "vain"}), `kind is "vain"; want "same" or "in_vain"`},
		"nobody said who":        {Label{Corpus: "runs", Run: "a"}, "a label needs corpus, run, labeller and steps"},
		"a loop without its end": {
			Label{"runs", "a", "ann", 9, nil, &Span{First: 2, Kind: Same}, false, true}, "not finished",
		},
		"a begun loop of no kind": {Label{"runs", "a", "ann", 9, nil, &Span{First: 2}, false, false}, `kind is ""`},
		"a loop begun behind the end": {
			Label{"runs", "a", "ann", 9, nil, &Span{First: 10, Kind: Same}, false, false}, "first is 10, but the run has 9 steps",
		},
		"a loop begun at step 0": {
			Label{"runs", "a", "ann", 9, nil, &Span{Kind: Same}, false, false}, "first is 0, but the run has 9 steps",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := test.label.Check(); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
	if err := run("a", true, Span{1, 3, Same}, Span{4, 10, InVain}).Check(); err != nil {
		t.Errorf("two loops side by side: %v", err)
	}
}

func TestTheLastLineOfARunCounts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ann.jsonl")
	file, want := opened(t, path), run("a", true, Span{2, 5, Same})
	for _, l := range []Label{run("a", false), run("b", true), want} {
		if err := file.Save(l); err != nil {
			t.Fatal(err)
		}
	}
	labels, err := Read(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Labels{want, run("b", true)}, labels); diff != "" {
		t.Error(diff)
	}
	if got, _ := opened(t, path).Of(Run{"runs", "a"}, "ann"); !cmp.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func opened(t *testing.T, path string) *File {
	t.Helper()
	file, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

// TestTwoProgramsDoNotWriteOneFile: the second does not know what the first saved, and would replace it.
func TestTwoProgramsDoNotWriteOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ann.jsonl")
	first, second := opened(t, path), opened(t, path)
	want := run("a", false, Span{2, 5, Same})
	if err := first.Save(want); err != nil {
		t.Fatal(err)
	}
	if err := second.Save(run("a", false)); err == nil || !strings.Contains(err.Error(), "another program has written") {
		t.Errorf("got %v", err)
	}
	if labels, err := Read(t.Context(), path); err != nil || !cmp.Equal(labels, Labels{want}) {
		t.Errorf("got %v, %v", labels, err)
	}
}

// TestALabelIsNotSavedIntoAFileThatHasNoName: an editor, sed -i and git put another file in its place, and what goes to
// the old one is lost.
func TestALabelIsNotSavedIntoAFileThatHasNoName(t *testing.T) {
	for reason, test := range map[string]struct {
		change func(path string) error
		want   string
	}{
		"it was removed": {os.Remove, ""},
		"another of the same size replaced it": {func(path string) error {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return errors.Join(os.WriteFile(path+"~", bytes.ToUpper(text), 0o600), os.Rename(path+"~", path))
		}, `{"CORPUS":"RUNS","RUN":"A","LABELLER":"ANN","STEPS":10,"SPANS":[],"FINISHED":TRUE}` + "\n"},
	} {
		t.Run(reason, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "ann.jsonl")
			file := opened(t, path)
			if err := file.Save(run("a", true)); err != nil {
				t.Fatal(err)
			}
			if err := test.change(path); err != nil {
				t.Skip("a system that keeps the name of an open file: ", err)
			}
			err := file.Save(run("b", true))
			if err == nil || !strings.HasPrefix(err.Error(), path+": the file was removed or replaced") {
				t.Errorf("got %v", err)
			}
			if _, saved := file.Of(Run{"runs", "b"}, "ann"); saved {
				t.Error("the label that was not saved is shown as saved")
			}
			if got, _ := os.ReadFile(path); string(got) != test.want {
				t.Errorf("the file became %q, want %q", got, test.want)
			}
		})
	}
}

// fullDisk writes half of what it is given, once.
type fullDisk struct {
	disk

	full bool
}

func (d *fullDisk) Write(text []byte) (int, error) {
	if !d.full {
		return d.disk.Write(text)
	}
	d.full = false
	n, _ := d.disk.Write(text[:len(text)/2])
	return n, syscall.ENOSPC
}

func TestAFullDiskLeavesNoHalfLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ann.jsonl")
	file := opened(t, path)
	file.file = &fullDisk{disk: file.file, full: true}
	if err := file.Save(run("a", true)); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v", err)
	}
	if err := file.Save(run("b", true)); err != nil {
		t.Fatal(err)
	}
	if labels, err := Read(t.Context(), path); err != nil || !cmp.Equal(labels, Labels{run("b", true)}) {
		t.Errorf("got %v, %v", labels, err)
	}
}

func TestTheEndOfAFileIsKeptUnlessItIsHalfALabel(t *testing.T) {
	line := `{"corpus":"runs","run":"a","labeller":"ann","steps":9,"spans":[],"finished":true}`
	for _, test := range []struct{ text, want, reason string }{
		{line + "\n" + line[:30], line + "\n", "a killed program left half a line"},
		{line[:5], "", "a killed program left half of the first line"},
		{line, line + "\n", "somebody edited the file, and left out the end of the line"},
		{"my notes", "my notes", "another file is not ours to cut"},
		{line + "\n{}", line + "\n{}", "nor is a line that no program of ours began"},
	} {
		path := filepath.Join(t.TempDir(), "ann.jsonl")
		if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := Open(path)
		if err == nil {
			err = errors.Join(file.Save(run("b", true)), file.Close())
			test.want += `{"corpus":"runs","run":"b","labeller":"ann","steps":10,"spans":[],"finished":true}` + "\n"
		}
		if got, _ := os.ReadFile(path); string(got) != test.want {
			t.Errorf("%s: %q became %q, want %q (%v)", test.reason, test.text, got, test.want, err)
		}
	}
}

func TestABrokenFileOfLabelsIsToldByItsLine(t *testing.T) {
	line := `{"corpus":"runs","run":"a","labeller":"ann","steps":9,"spans":[],"finished":true}` + "\n"
	for broken, want := range map[string]string{
		line + `{"corpus":"runs"` + "\n":                            "x.jsonl:2: ",
		line + `{"corpus":"runs","run":"b","labeler":"ann"}` + "\n": `x.jsonl:2: unknown member "labeler"`,
		line + line[:len(line)-1] + line:                            "x.jsonl:2: more text after the value",
		strings.Replace(line, `[]`, `[{"first":2}]`, 1):             "x.jsonl:1: spans/0: ",
		"\n": "it has no label",
	} {
		path := filepath.Join(t.TempDir(), "x.jsonl")
		if err := os.WriteFile(path, []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(t.Context(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", broken, err, want)
		}
	}
}

// The figures were computed by hand. Ten runs of ten steps; both say loop of three, only A of one, only B of two, so
// observed agreement is 0.7, expected 0.4·0.5 + 0.6·0.5 = 0.5, and κ is 0.4.
func TestAgreementAsComputedByHand(t *testing.T) {
	loop := Span{3, 6, Same}
	spans := func(says string) []Span {
		if says == "1" {
			return []Span{loop}
		}
		return nil
	}
	var a, b Labels
	for i, both := range []string{"11", "11", "11", "10", "01", "01", "00", "00", "00", "00"} {
		name := string(rune('a' + i))
		a, b = append(a, run(name, true, spans(both[:1])...)), append(b, run(name, true, spans(both[1:])...))
	}
	b[0].Spans[0] = Span{1, 8, Same} // each boundary two steps off: still equal
	a = append(a, run("only in a", true), run("open", false))
	b = append(b, run("open", true))
	g, err := Agree(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if kappa, ok := g.Kappa(); !ok || math.Abs(kappa-0.4) > 1e-12 {
		t.Errorf("κ is %v, want 0.4", kappa)
	}
	// 100 steps, 12 that differ; 2·12 + 12 = 36 values within a loop, 164 outside: α = 1 − 199·12 / (36·164).
	if alpha, ok := g.Alpha(); !ok || math.Abs(alpha-(1-199.0*12/(36*164))) > 1e-12 {
		t.Errorf("α is %v", alpha)
	}
	var out strings.Builder
	if err := g.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	want := `runs decided by both   10
  loop / no loop       both loop 3, both no loop 4, only A loop 1, only B loop 2
kappa, loop or not     0.40
alpha, steps in a loop 0.60 (boundaries at most 2 steps apart count as equal)
unsure                 0
finished by one only   2

TO DECIDE (3)
runs d
  A ann: 3 to 6 same
  B ann: no loop
runs e
  A ann: no loop
  B ann: 3 to 6 same
runs f
  A ann: no loop
  B ann: 3 to 6 same
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestWhatNobodyCanCompareIsAnError(t *testing.T) {
	if _, err := Agree(Labels{run("a", true)}, Labels{run("b", true)}); err == nil {
		t.Error("no run in common is no agreement")
	}
	other := run("a", true)
	other.Labeller = "ben"
	_, err := Agree(Labels{run("a", true), other}, Labels{run("a", true)})
	if err == nil || !strings.Contains(err.Error(), `labelled by both "ann" and "ben"`) {
		t.Errorf("got %v", err)
	}
	longer := run("a", true)
	longer.Steps = 11
	if _, err := Agree(Labels{run("a", true)}, Labels{longer}); err == nil || !strings.Contains(err.Error(), "different logs") {
		t.Errorf("got %v", err)
	}
	same := Labels{run("a", true)}
	g, err := Agree(same, same)
	if _, ok := g.Kappa(); ok || err != nil {
		t.Errorf("κ of one answer alone is defined (%v)", err)
	}
}

func TestTheSeedSaysTheOrder(t *testing.T) {
	order := func(seed uint64) string {
		s := Server{Source: alphabet{}}
		s.Shuffle(seed)
		var names strings.Builder
		for _, r := range s.runs {
			names.WriteString(r.Run)
		}
		return names.String()
	}
	if first, again, other := order(1), order(1), order(2); first != again || first == other || first == "abcdefghijklmnop" {
		t.Errorf("orders: %s, %s, %s", first, again, other)
	}
}

type alphabet struct{ oneRun }

func (alphabet) Runs() []Run {
	var runs []Run
	for c := 'a'; c <= 'p'; c++ {
		runs = append(runs, Run{"runs", string(c)})
	}
	return runs
}

func TestNearTextsShareNineWordsOfTen(t *testing.T) {
	ten := "a b c d e f g h i "
	for _, test := range []struct{ a, b, want string }{
		{ten + "j", ten + "j", "equal"},
		{ten + "j", ten + "k", "near"},
		{ten + "j", "x b c d e f g h i k", ""},
		{"", "", "equal"},
		{"", "a", ""},
		{"a a", "a", ""},
	} {
		if got := likeness(test.a, test.b); got != test.want {
			t.Errorf("%q and %q: %q, want %q", test.a, test.b, got, test.want)
		}
	}
}
