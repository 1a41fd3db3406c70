package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/processgroup"
	"github.com/loopstone/loopstone/internal/suite/userfiles"
)

const (
	// grace is how long a command may take to end once it is interrupted: to write its reports, and less than the two
	// seconds after which a person takes it for dead.
	grace = 1500 * time.Millisecond
	// oneWish is how long after a signal another is the same wish: a terminal that closes sends SIGHUP, and so does its
	// shell.
	oneWish = 200 * time.Millisecond
	// lastLine is how long standard error may take to accept a line: it may be a pipe that nobody reads.
	lastLine = 100 * time.Millisecond
)

// interruptible returns a context that a signal ends: Ctrl-C, SIGTERM, a terminal that closes (unless nohup ignores
// that), or SIGQUIT; who wants Go's stack traces sends SIGABRT. A command that has not ended within the grace, or at a
// second signal, is ended here, with all that it has started. stop ends the watch.
func interruptible(stderr io.Writer) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if s != syscall.SIGHUP || !isIgnored(s) {
			signal.Notify(signals, s)
		}
	}
	stopped, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		if why := watch(signals, stopped, cancel); why != "" {
			endNow(stderr, why)
		}
	}()
	return ctx, func() {
		close(stopped)
		<-watched
		signal.Stop(signals)
		cancel(nil)
	}
}

// isIgnored reports whether the program was started so that a signal does nothing. Under WASI there are no signals, and
// asking for one panics.
func isIgnored(s os.Signal) bool { return runtime.GOOS != "wasip1" && signal.Ignored(s) }

// watch cancels a command at the first signal. It returns why the command is to be ended by force, and nothing once the
// command has ended by itself.
func watch(signals <-chan os.Signal, stopped <-chan struct{}, cancel context.CancelCauseFunc) (why string) {
	select {
	case s := <-signals:
		cancel(fmt.Errorf("%s signal received", s))
	case <-stopped:
		return ""
	}
	over, began := time.After(grace), time.Now()
	for {
		select {
		case s := <-signals:
			if time.Since(began) > oneWish {
				return fmt.Sprintf("a second signal (%s) was received", s)
			}
		case <-over:
			return fmt.Sprintf("what was under way did not end within %s", grace)
		case <-stopped:
			return ""
		}
	}
}

// endNow ends the program. It kills what was started, and leaves no half of a file.
func endNow(stderr io.Writer, why string) {
	processgroup.KillAll()
	userfiles.Abandon()
	told := make(chan struct{})
	go func() {
		defer close(told)
		fmt.Fprintf(stderr, "loopstone: ended at once: %s\n", why)
	}()
	select {
	case <-told:
	case <-time.After(lastLine):
	}
	os.Exit(int(conformance.NotDecided))
}
