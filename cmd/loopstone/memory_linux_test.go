package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestARunNeedsLittleMemory: on a quiet machine 130 MiB, of which the collector's limit holds a busy one to little more.
//
// The peak is read from /proc while the tool runs. What wait reports (ru_maxrss) counts the memory of the process
// that started the tool as well, here that of the tests.
func TestARunNeedsLittleMemory(t *testing.T) {
	long(t, "it runs the whole suite")
	t.Parallel()
	const most = 160 << 10 // KiB
	run := exec.Command(builtTool, "test", "--reference")
	run.Env = append(os.Environ(), "GOGC=", "GOMEMLIMIT=")
	var out bytes.Buffer
	run.Stdout, run.Stderr = &out, &out
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- run.Wait() }()
	var peak int
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatalf("%v\n%s", err, out.String())
			}
			if peak == 0 {
				t.Fatal("/proc never told the peak of the run")
			}
			if peak > most {
				t.Errorf("the peak of a run is %d KiB, want at most %d", peak, most)
			}
			return
		case <-time.After(time.Millisecond):
			peak = max(peak, peakOf(run.Process.Pid))
		}
	}
}

// peakOf is the most memory, in KiB, that the program of a process has had, and 0 if the process has none any more.
func peakOf(pid int) (kib int) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil || exe != builtTool {
		return 0
	}
	_, rest, _ := bytes.Cut(status, []byte("\nVmHWM:"))
	fmt.Sscan(string(rest), &kib)
	return kib
}
