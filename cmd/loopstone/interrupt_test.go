package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loopstone/loopstone/conformance"
)

// TestInterruptionsAreTold: how far it came, and exit code 2, since nobody knows what the rest would have shown. The port
// says that it was started, so that no signal comes before the tool can take it.
func TestInterruptionsAreTold(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"test", "--checks", "100000"}, `loopstone test: interrupted \((interrupt|terminated|hangup|quit) signal received\) after \d+ of \d+\n`},
		{[]string{"fuzz", "--for", "1h", "--jobs", "1"}, `(?s)executions.*loopstone fuzz: interrupted \((interrupt|terminated|hangup|quit) signal received\): after \d+\.\d s of 1h0m0s; the`},
		{[]string{"bench", "--time", "1m"}, `loopstone bench: interrupted \((interrupt|terminated|hangup|quit) signal received\)`},
	} {
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
			t.Run(test.args[0]+" "+signal.String(), func(t *testing.T) {
				t.Parallel()
				out, outcome := interrupt(t, signal, test.args)
				if outcome != conformance.NotDecided || !regexp.MustCompile(test.want).MatchString(out) {
					t.Errorf("%s, want undecided and %s in\n%s", outcome, test.want, out)
				}
			})
		}
	}
}

// interrupt runs the tool with the reference as its port, and sends it a signal once it has begun to ask.
func interrupt(t *testing.T, signal syscall.Signal, args []string) (string, conformance.Outcome) {
	t.Helper()
	started := filepath.Join(t.TempDir(), "started")
	port := []string{"--", "sh", "-c", `tee "$0" | "$1" serve`, started, builtTool}
	command := exec.Command(builtTool, append(args, port...)...)
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if asked, err := os.ReadFile(started); err == nil && strings.Count(string(asked), "\n") > 20 {
			break
		}
	}
	if err := command.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait() // the exit code is looked at
	return said.String(), conformance.Outcome(command.ProcessState.ExitCode())
}
