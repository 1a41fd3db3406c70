//go:build unix

package processgroup

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// soon is enough for a process to start or to end, however busy the machine is.
const soon = time.Minute

// shell runs a script whose $0 is a file that it makes when it has begun.
func shell(t *testing.T, script string) (cmd *exec.Cmd, begun string) {
	t.Helper()
	begun = filepath.Join(t.TempDir(), "begun")
	return exec.Command("sh", "-c", script, begun), begun
}

func waitFor(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(soon); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited for %s in vain", what)
		}
	}
}

func exists(path string) func() bool {
	return func() bool {
		_, err := os.Stat(path)
		return err == nil
	}
}

// lives reports whether a process group has a process.
func lives(leader int) bool { return syscall.Kill(-leader, 0) == nil }

func TestRunEndsWithTheContextAndLeavesNothing(t *testing.T) {
	t.Parallel()
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cmd, begun := shell(t, `trap "" TERM INT; sleep 1000 & : > "$0"; sleep 1000`)
	ended := make(chan error)
	go func() { ended <- Run(ctx, cmd) }()
	waitFor(t, "the command", exists(begun))
	cancel(cause)
	if err := <-ended; !errors.Is(err, cause) {
		t.Errorf("got %v, want %v", err, cause)
	}
	waitFor(t, "its end", func() bool { return !lives(cmd.Process.Pid) })
	if err := Run(ctx, exec.Command("true")); !errors.Is(err, cause) {
		t.Errorf("after the context: got %v, want %v", err, cause)
	}
}

func TestRunEndsWhatACommandLeavesBehind(t *testing.T) {
	t.Parallel()
	cmd, _ := shell(t, `sleep 1000 >/dev/null 2>&1 & exit 3`)
	if err := Run(t.Context(), cmd); cmd.ProcessState.ExitCode() != 3 {
		t.Errorf("got %v, want the exit code of the command", err)
	}
	waitFor(t, "the end of what it left", func() bool { return !lives(cmd.Process.Pid) })
}

// TestKillAllEndsWhatLives is not parallel: nothing can be started behind it.
func TestKillAllEndsWhatLives(t *testing.T) {
	defer func() { living.closed = false }()
	cmd, begun := shell(t, `trap "" TERM; : > "$0"; sleep 1000; :`)
	g, err := Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the command", exists(begun))
	KillAll()
	if err := cmd.Wait(); err == nil {
		t.Error("it ended by itself")
	}
	waitFor(t, "its end", func() bool { return !lives(g.Leader()) })
	g.Release()
	if _, err := Start(exec.Command("true")); !errors.Is(err, errClosed) {
		t.Errorf("a command was started behind: %v", err)
	}
}
