// Package wasitest tests the program as a WASI module, which needs no system beside the host's files.
package wasitest

import (
	"bytes"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"
)

// TestTheProgramUnderWASI: what reads and replays runs there, and what starts a process says in a line why it does not.
func TestTheProgramUnderWASI(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program anew and compiles it: make long does that")
	}
	run := host(t, built(t))
	for _, test := range []struct {
		words string
		want  uint32
		says  string
	}{
		{"show HI-13", 0, "HI-13 (MUST"},
		{"show history-third-identical-call", 0, "history-third-identical-call"},
		{"list cases --detector history", 0, "history-third-identical-call"},
		{"export /out/suite", 0, "manifest.json has their digests"},
		{"export --as vitest --detector @roo /out/tests", 0, "/out/tests/loopstone.json: "},
		{"test --reference", 2, "under WASI, no program can start another"},
		{"replay /recordings/edit-in-vain.jsonl", 0, "raise an alarm"},
		{"fuzz --reference", 2, "under WASI, no program can start another"},
		{"demo", 2, "under WASI, no program can start another"},
		{"test -- true", 2, "under WASI, no program can start another"},
		{"check-adapter -- true", 2, "under WASI, no program can start another"},
		{"init python /out/port", 2, "under WASI, no program can start another"},
	} {
		exit, out := run(strings.Fields(test.words))
		says := strings.Contains(out, test.says)
		if test.want != 0 {
			says = strings.HasSuffix(out, test.says+"\n") // and nothing behind it
		}
		if exit != test.want || !says {
			t.Errorf("%s: exit %d, want %d and %q in\n%.2000s", test.words, exit, test.want, test.says, out)
		}
	}
}

// built returns the program for WASI.
func built(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "loopstone.wasm")
	command := exec.Command("go", "build", "-ldflags=-s -w", "-gcflags=all=-l", "-trimpath", "-o", path, "./cmd/loopstone")
	command.Dir, command.Env = "../..", append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// host compiles the program, and returns a function that runs it with some words, an empty folder /out and the
// recordings of this repository.
func host(t *testing.T, program []byte) func(words []string) (exit uint32, out string) {
	t.Helper()
	runtime := wazero.NewRuntime(t.Context())
	t.Cleanup(func() { _ = runtime.Close(t.Context()) })
	wasi_snapshot_preview1.MustInstantiate(t.Context(), runtime)
	module, err := runtime.CompileModule(t.Context(), program)
	if err != nil {
		t.Fatal(err)
	}
	recordings, err := filepath.Abs("../../recordings")
	if err != nil {
		t.Fatal(err)
	}
	folders := wazero.NewFSConfig().WithDirMount(t.TempDir(), "/out").WithReadOnlyDirMount(recordings, "/recordings")
	return func(words []string) (uint32, string) {
		var out bytes.Buffer
		config := wazero.NewModuleConfig().WithArgs(append([]string{"loopstone"}, words...)...).WithFSConfig(folders).
			WithStdout(&out).WithStderr(&out).WithRandSource(rand.Reader).WithSysNanotime().WithSysWalltime().WithSysNanosleep()
		_, err := runtime.InstantiateModule(t.Context(), module, config.WithName(""))
		if exit, ok := errors.AsType[*sys.ExitError](err); ok {
			return exit.ExitCode(), out.String()
		}
		if err != nil {
			t.Errorf("%s: %v", words, err)
		}
		return 0, out.String()
	}
}
