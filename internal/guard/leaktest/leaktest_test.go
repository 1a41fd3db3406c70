//go:build unix

package leaktest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// leaving leaves something behind, and returns how to take it away again.
type leaving func(t *testing.T) (takeAway func())

// idle waits until it is told to end; its name is what is looked for.
func idle(end chan struct{}) { <-end }

// leaks are all kinds of things that tests leave behind, with what is said of each.
var leaks = map[string]struct {
	words string
	leave leaving
}{
	"a goroutine": {"leaktest.idle", func(*testing.T) func() {
		end := make(chan struct{})
		go idle(end)
		return func() { close(end) }
	}},
	"a process": {"process ", func(t *testing.T) func() {
		command := exec.Command("sleep", "60")
		command.Env = append(os.Environ(), Mark(t.Name()))
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		return func() {
			Kill(Mark(t.Name()) + "\x00")
			_ = command.Wait() // it was killed
		}
	}},
	"a pipe": {"open file pipe:", func(t *testing.T) func() {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		return func() { r.Close(); w.Close() }
	}},
	"a file that is open": {"open file /", func(t *testing.T) func() {
		f, err := os.Open("leaktest_test.go")
		if err != nil {
			t.Fatal(err)
		}
		return func() { f.Close() }
	}},
	"a temporary folder": {"temporary file ", func(t *testing.T) func() {
		folder, err := os.MkdirTemp("", "forgotten")
		if err != nil {
			t.Fatal(err)
		}
		return func() { os.Remove(folder) }
	}},
}

// TestEveryLeakIsFound shows that the check can fail, in every way, and does not go on failing.
func TestEveryLeakIsFound(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("there is no /proc")
	}
	for name, leak := range leaks {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			ground, err := watch("leaktest.idle")
			if err != nil {
				t.Fatal(err)
			}
			defer ground.leave()
			if left := ground.left(); left != nil {
				t.Fatalf("there was something before: %q", left)
			}
			takeAway := leak.leave(t)
			found := Soon(func() bool {
				return slices.ContainsFunc(ground.left(), func(line string) bool { return strings.Contains(line, leak.words) })
			})
			left := ground.left()
			takeAway()
			if !found {
				t.Errorf("got %q, want %q in it", left, leak.words)
			}
			if !Soon(func() bool { return ground.left() == nil }) {
				t.Errorf("found what is gone: %q", ground.left())
			}
		})
	}
}

func TestTheTemporaryFolderIsTheTestsOwn(t *testing.T) {
	usual := t.TempDir()
	t.Setenv("TMPDIR", usual)
	ground, err := watch("x")
	if err != nil {
		t.Fatal(err)
	}
	if within, err := filepath.Rel(usual, os.TempDir()); err != nil || within == "." {
		t.Errorf("tests get %s, want a folder of their own within %s", os.TempDir(), usual)
	}
	ground.leave()
	if entries, err := os.ReadDir(usual); err != nil || len(entries) > 0 || os.TempDir() != usual {
		t.Errorf("after it: %v, %v in %s; temporary files go to %s", entries, err, usual, os.TempDir())
	}
}

// ending is what a test binary does in the place of its tests.
const ending = "LEAKTEST_ENDING"

// TestMain is a binary under test where its environment says so: then it leaves something behind, or nothing.
func TestMain(m *testing.M) {
	if how := os.Getenv(ending); how != "" {
		settling = time.Second
		os.Exit(Main(m, "leaktest.idle"))
	}
	os.Exit(m.Run())
}

// TestLeavesWhatItIsTold is no test: it is what the binary under test runs.
func TestLeavesWhatItIsTold(t *testing.T) {
	how := os.Getenv(ending)
	if how == "" {
		t.Skip("for the test below")
	}
	if how == "dirty" {
		if _, err := os.MkdirTemp("", "forgotten"); err != nil {
			t.Fatal(err)
		}
	}
	_ = t.TempDir() // this one, the test package removes
}

func TestMainFailsWhereSomethingIsLeft(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]int{"clean": 0, "dirty": 1} {
		command := exec.Command(os.Args[0], "-test.run=^TestLeavesWhatItIsTold$")
		command.Env = append(os.Environ(), ending+"="+how)
		out, err := command.CombinedOutput()
		if command.ProcessState == nil {
			t.Fatal(err)
		}
		if got := command.ProcessState.ExitCode(); got != want {
			t.Errorf("%s: got the exit code %d, want %d:\n%s", how, got, want, out)
		}
		if says := strings.Contains(string(out), "left behind: temporary file "); says != (want == 1) {
			t.Errorf("%s:\n%s", how, out)
		}
	}
}

// TestNativeFuzzingLeavesNothing: its workers are killed before they could tidy up, so that they must not make a ground of
// their own.
func TestNativeFuzzingLeavesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary for fuzzing")
	}
	command := exec.Command("go", "test", "-run=^$", "-fuzz=^FuzzServe$", "-fuzztime=500x", ".")
	command.Dir = filepath.Join("..", "..", "..", "conformance", "stdio")
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", command, err, out)
	}
}
