//go:build unix

package stdio_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/testing/faultyadapter"
	"github.com/loopstone/loopstone/spec"
)

func TestCallsAfterCloseSaySo(t *testing.T) {
	t.Parallel()
	client := start(t, stdio.Options{})
	s := openSession(t, client)
	if err := client.Err(); err != nil {
		t.Errorf("before Close: %v", err)
	}
	client.Close()
	_, err := s.Observe(t.Context(), []spec.Value{event})
	expectReason(t, err, stdio.Closed)
	client.Close() // again
}

func TestCloseWhileCallsAreInFlight(t *testing.T) {
	t.Parallel()
	options := stdio.Options{StopTimeout: 100 * time.Millisecond, Window: 2}
	client := start(t, options, slowEnv+"=1h")
	errs := make(chan error, 5)
	for range cap(errs) { // two wait for their answers, three to be sent
		go func() {
			_, err := client.Call(t.Context(), "history.hash", "", spec.ObjectValue())
			errs <- err
		}()
	}
	time.Sleep(20 * time.Millisecond)
	client.Close()
	for range cap(errs) {
		expectReason(t, <-errs, stdio.Closed)
	}
}

func TestCommandsThatCannotBeStarted(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	script := filepath.Join(folder, "script")
	if err := os.WriteFile(script, []byte("#!/bin/true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		why     string
		command stdio.Command
		want    error
	}{
		{"a name that is not in $PATH", stdio.Command{Path: "no-such-adapter"}, exec.ErrNotFound},
		{"a file that is not there", stdio.Command{Path: filepath.Join(folder, "none")}, os.ErrNotExist},
		{"a file that may not be run", stdio.Command{Path: script}, os.ErrPermission},
		{"a folder that is not there", stdio.Command{Path: "true", Dir: filepath.Join(folder, "none")}, os.ErrNotExist},
	} {
		_, err := stdio.Start(t.Context(), x.command, brisk)
		if gone := expectReason(t, err, stdio.NotStarted); !errors.Is(gone, x.want) {
			t.Errorf("%s: got %v, want %v", x.why, err, x.want)
		}
	}
}

func TestCancellingTheContextKillsTheAdapter(t *testing.T) {
	t.Parallel()
	command, mark := catch(t, "hang")
	ctx, cancel := context.WithCancel(t.Context())
	client, err := stdio.Start(ctx, command, stdio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	time.AfterFunc(50*time.Millisecond, cancel)
	err = provoke(t.Context(), client)
	if gone := expectReason(t, err, stdio.Cancelled); !errors.Is(gone, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	expectGone(t, mark) // before Close
	_, err = stdio.Start(ctx, command, stdio.Options{})
	expectReason(t, err, stdio.Cancelled)
}

// A process that has left the group of its adapter is not ended, but named, and must not keep the client waiting.
func TestARunawayThatHoldsThePipesDoesNotKeepTheClient(t *testing.T) {
	t.Parallel()
	command, mark := catch(t, "runaway")
	t.Cleanup(func() { faultyadapter.Kill(mark) })
	options, left := brisk, make(chan string, 1)
	options.RequestTimeout = patience
	options.Left = func(process string) { left <- process }
	client, err := stdio.Start(t.Context(), command, options)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	gone := expectReason(t, provoke(t.Context(), client), stdio.Exited)
	client.Close()
	if runtime.GOOS == "linux" {
		select {
		case process := <-left:
			if !strings.HasPrefix(process, "process "+faultyadapter.Processes(mark)[0]+" (") {
				t.Errorf("got %q, want the process %v", process, faultyadapter.Processes(mark))
			}
		default:
			t.Error("the process that is left was not named")
		}
	}
	if gone.Exit == nil || gone.Exit.Code != 3 {
		t.Errorf("got exit %v, want status 3", gone.Exit)
	}
	if took := time.Since(start); took > patience {
		t.Errorf("it took %s", took)
	}
}

// Somebody may be building the port at this moment: that is no fault of the port.
func TestAProgramThatIsBeingWrittenIsNobodysFault(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells it")
	}
	path := filepath.Join(t.TempDir(), "port")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, err = stdio.Start(t.Context(), stdio.Command{Path: path}, stdio.Options{})
	gone, ok := errors.AsType[*stdio.ProcessError](err)
	if !ok || gone.Reason != stdio.NoRoom || gone.Problem != "its program is being written" {
		t.Errorf("got %v", err)
	}
}
