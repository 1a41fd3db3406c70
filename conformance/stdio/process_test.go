//go:build unix

package stdio_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/leaktest"
)

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

// A process that has left the group of its adapter cannot be found, but it must not keep the client waiting either.
func TestARunawayThatHoldsThePipesDoesNotKeepTheClient(t *testing.T) {
	t.Parallel()
	command, mark := catch(t, "runaway")
	t.Cleanup(func() { leaktest.Kill(mark) })
	client, err := stdio.Start(t.Context(), command, brisk)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	gone := expectReason(t, provoke(t.Context(), client), stdio.Exited)
	client.Close()
	if gone.Exit == nil || gone.Exit.Code != 3 {
		t.Errorf("got exit %v, want status 3", gone.Exit)
	}
	if took := time.Since(start); took > patience {
		t.Errorf("it took %s", took)
	}
}
