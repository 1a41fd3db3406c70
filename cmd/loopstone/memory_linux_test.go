package main

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// TestARunNeedsLittleMemory: on a quiet machine 75 MiB. A busy one collects garbage later.
func TestARunNeedsLittleMemory(t *testing.T) {
	t.Parallel()
	const most = 110 << 10 // KiB
	run := exec.Command(builtTool, "test")
	run.Env = append(os.Environ(), "GOGC=", "GOMEMLIMIT=")
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if peak := run.ProcessState.SysUsage().(*syscall.Rusage).Maxrss; peak > most {
		t.Errorf("the peak of a run is %d KiB, want at most %d", peak, most)
	}
}
