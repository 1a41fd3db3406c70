package stdio_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// actEnv makes this binary an adapter.
const actEnv = "LOOPSTONE_TEST_ACT"

// The adapters that this binary can be. Each has a child that does nothing, for ever.
const (
	leavesAChild  = "leaves a child"
	neverAnswers  = "never answers"
	lingers       = "lingers until Ctrl-Break"
	isStubborn    = "is stubborn"
	childOfIt     = "child"
	runnerOfIt    = "runner"
	asLongAsTaken = time.Minute // for what comes at once on a machine that has time
)

func TestMain(m *testing.M) {
	act := os.Getenv(actEnv)
	switch act {
	case "":
		os.Exit(m.Run())
	case childOfIt:
		time.Sleep(time.Hour)
		os.Exit(0)
	case runnerOfIt:
		_, child, err := startAdapter(context.Background(), leavesAChild, stdio.Options{StartTimeout: asLongAsTaken})
		if err != nil {
			panic(err)
		}
		fmt.Println(child)
		time.Sleep(time.Hour)
		os.Exit(0)
	}
	child, err := startChild()
	if err != nil {
		panic(err)
	}
	interrupts := make(chan os.Signal, 1)
	signal.Notify(interrupts, os.Interrupt) // Ctrl-Break comes as one
	if err := stdio.Serve(context.Background(), parent{reference.Port(), act, child}, os.Stdin, os.Stdout); err != nil {
		panic(err)
	}
	for act == isStubborn || act == lingers {
		if <-interrupts; act == lingers {
			os.Exit(0)
		}
	}
}

// startChild returns the number of a process that this one has started.
func startChild() (string, error) {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), actEnv+"="+childOfIt)
	if err := child.Start(); err != nil {
		return "", err
	}
	return strconv.Itoa(child.Process.Pid), nil
}

// parent is the reference with the number of its child in place of a version. It opens no session where it shall never
// answer.
type parent struct {
	spec.Port
	act, child string
}

func (p parent) Describe(ctx context.Context) (spec.Description, error) {
	d, err := p.Port.Describe(ctx)
	d.Version = p.child
	return d, err
}

func (p parent) Open(ctx context.Context, d spec.DetectorID, r spec.Reading, config spec.Value) (spec.Session, error) {
	if p.act == neverAnswers {
		select {}
	}
	return p.Port.Open(ctx, d, r, config)
}

// startAdapter starts this binary as one of the adapters, and returns its child, too.
func startAdapter(ctx context.Context, act string, options stdio.Options) (*stdio.Client, string, error) {
	client, err := stdio.Start(ctx, stdio.Command{Path: os.Args[0], Env: []string{actEnv + "=" + act}}, options)
	if err != nil {
		return nil, "", err
	}
	d, err := client.Describe(ctx)
	return client, d.Version, err
}

// TestAnAdaptersChildrenEndWithIt: whatever it takes to end an adapter, nothing that it has started stays.
func TestAnAdaptersChildrenEndWithIt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		act      string
		timesOut bool
	}{
		{leavesAChild, false},
		{neverAnswers, true}, // it is killed at once
		{isStubborn, false},
	} {
		t.Run(test.act, func(t *testing.T) {
			t.Parallel()
			options := stdio.Options{StartTimeout: asLongAsTaken, RequestTimeout: asLongAsTaken, StopTimeout: asLongAsTaken}
			if test.timesOut {
				options.RequestTimeout = time.Second // it never comes
			}
			if test.act == isStubborn {
				options.StopTimeout = time.Second // it never ends by itself
			}
			client, number, err := startAdapter(t.Context(), test.act, options)
			if err != nil {
				t.Fatal(err)
			}
			child := processOf(t, number)
			_, err = client.Open(t.Context(), spec.History, spec.Code, spec.MustParse("{}"))
			if failure, ok := errors.AsType[*stdio.ProcessError](err); ok != test.timesOut || ok && failure.Reason != stdio.TimedOut {
				t.Errorf("opening a session: %v", err)
			}
			client.Close()
			expectEnd(t, child)
		})
	}
}

// TestAnAdapterIsAskedToEndByCtrlBreak: one that heeds it ends by itself.
func TestAnAdapterIsAskedToEndByCtrlBreak(t *testing.T) {
	t.Parallel()
	if !hasConsole(t) {
		t.Skip("there is no console here, and so no Ctrl-Break")
	}
	command := stdio.Command{Path: os.Args[0], Env: []string{actEnv + "=" + lingers}}
	wire, err := stdio.OpenWire(t.Context(), command, stdio.Options{StopTimeout: asLongAsTaken})
	if err != nil {
		t.Fatal(err)
	}
	wire.Close()
	if exit, ended := wire.Wait(asLongAsTaken); !ended || exit != (stdio.Exit{}) {
		t.Errorf("ended: %t, with %s, want exit status 0", ended, exit)
	}
}

// TestAnAdapterEndsWithItsRunner: a runner that is killed leaves nothing behind either.
func TestAnAdapterEndsWithItsRunner(t *testing.T) {
	t.Parallel()
	runner := exec.Command(os.Args[0])
	runner.Env = append(os.Environ(), actEnv+"="+runnerOfIt)
	said, err := runner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := runner.Start(); err != nil {
		t.Fatal(err)
	}
	number, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	child := processOf(t, strings.TrimSpace(number))
	if err := runner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = runner.Wait() // it was killed
	expectEnd(t, child)
}

// hasConsole reports whether Ctrl-Break can be sent to a process that this one starts.
func hasConsole(t *testing.T) bool {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), actEnv+"="+childOfIt)
	child.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	err := windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(child.Process.Pid))
	_ = child.Process.Kill() // it may have ended by the event
	_ = child.Wait()
	return err == nil
}

// processOf returns the living process that has a number.
func processOf(t *testing.T, text string) windows.Handle {
	t.Helper()
	number, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(number))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = windows.CloseHandle(process) })
	return process
}

func expectEnd(t *testing.T, process windows.Handle) {
	t.Helper()
	state, err := windows.WaitForSingleObject(process, uint32(asLongAsTaken.Milliseconds()))
	if err != nil || state != windows.WAIT_OBJECT_0 {
		t.Errorf("the child lives on: %v, %d", err, state)
	}
}
