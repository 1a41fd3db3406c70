package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestYAMLTakesABearableAmountOfMemory: a file of the size that is just read, or one byte more, and all of it small parts.
func TestYAMLTakesABearableAmountOfMemory(t *testing.T) {
	t.Parallel()
	const most, bearable = 4 << 20, 500 << 10 // bytes of a file, and kilobytes of the process
	folder := t.TempDir()
	var names, items strings.Builder
	for i := 0; names.Len() < most-64; i++ {
		fmt.Fprintf(&names, "n%07d: x\n", i)
	}
	items.WriteString("known:\n")
	for items.Len() < most-64 {
		items.WriteString("  - a\n")
	}
	for name, text := range map[string]string{"names": names.String(), "items": items.String()} {
		if err := os.MkdirAll(filepath.Join(folder, name, "history"), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, folder, name+".yaml", text)
		write(t, folder, name+"/history/own.yaml", text)
		write(t, folder, name+"-larger.yaml", text+strings.Repeat("#", 128))
	}
	for _, args := range [][]string{
		{"test", "--known", "names.yaml"},
		{"test", "--known", "items.yaml"},
		{"lint", "names"},
		{"lint", "items"},
		{"test", "--known", "names-larger.yaml"},
	} {
		command := exec.Command(builtTool, args...)
		command.Dir = folder
		out, _ := command.CombinedOutput() // the exit code is looked at
		usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage)
		code := conformance.Outcome(command.ProcessState.ExitCode())
		if !ok || usage.Maxrss > bearable || code != conformance.Usage && code != conformance.SuiteFault {
			t.Errorf("%q: %s with %d kB, want an error with at most %d kB:\n%.300s", args, code, usage.Maxrss, bearable, out)
		}
		if strings.Contains(args[len(args)-1], "larger") && !bytes.Contains(out, []byte("more than 4 MB")) {
			t.Errorf("%q: %.300s", args, out)
		}
	}
}
