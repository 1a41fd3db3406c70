package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/loopstone/loopstone/internal/testing/faultyadapter"
)

// builtTool is the path of the tool, as users have it.
var builtTool string

// TestMain builds the tool once: what the tests run is a real process, with real exit codes and signals, and without the
// race detector, which would make each of the hundreds of processes take seconds.
func TestMain(m *testing.M) {
	if what := os.Getenv(cheaterEnv); what != "" {
		if err := serveCheater(what); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if path := os.Getenv(ownEnv); path != "" {
		if err := serveOwn(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if len(os.Args) > 1 && os.Args[1] == "serve" { // as the tool starts itself, where no port is named
		main()
	}
	os.Exit(withTool(m))
}

// findPython puts the interpreter before what may stand for it: a script that looks for it on each call takes longer than
// most ports, and the tests start hundreds.
func findPython() {
	out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if folder := filepath.Dir(strings.TrimSpace(string(out))); err == nil && filepath.IsAbs(folder) {
		os.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
}

func withTool(m *testing.M) int {
	folder, err := os.MkdirTemp("", "loopstone-tool-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // else, under nohup, the tool would ignore it as it should
	os.Unsetenv("COLUMNS")                                 // whose tests these are has a terminal of some width
	os.Unsetenv("GOGC")                                    // of the tests alone: the tool collects its heap as it does for users
	findPython()
	builtTool = filepath.Join(folder, "loopstone")
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", builtTool, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as a release is built
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the tool: %v\n%s", err, out)
		return 1
	}
	temporary := filepath.Join(folder, "tmp")
	if err := errors.Join(os.Mkdir(temporary, 0o700), os.Setenv("TMPDIR", temporary)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	exit := faultyadapter.Main(m, "conformance/stdio.")
	if entries, err := os.ReadDir(temporary); exit == 0 && (err != nil || len(entries) > 0) {
		fmt.Fprintln(os.Stderr, "left in the temporary folder:", entries, err)
		return 1
	}
	return exit
}

// long skips, with -short, a test that takes more than a second of processor time, and says why it does.
func long(t *testing.T, why string) {
	t.Helper()
	if testing.Short() {
		t.Skipf("%s: make long runs it", why)
	}
}
