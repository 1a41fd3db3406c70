// Command loopstone tells an implementation of an agent loop detector, in any language, what it gets wrong, which
// clause it breaks and why that matters. It also replays recorded runs of agents with detectors, scores detectors on
// labelled runs, and shows the specification. This package has flags, files and exit codes; what a command does lives
// in conformance, internal/suite and internal/lab.
//
// Its tests run the tool as a user does, with every command that a page of docs shows. A test that needs no command
// belongs beside the code that it tests.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/suite/launch"
	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/internal/wording"
)

// usageError is an error in how the tool was called. If it is about a file, see [userfiles.Wrong], the call is right,
// and nothing is decided.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// judgedError is the error of a command that was interrupted, and whose outcome stands: it found a fault by then.
type judgedError struct{ error }

// suiteError is an error of the suite itself.
type suiteError struct{ error }

// faultOf says whose fault an error is that kept a port from being judged; without an error, nobody's.
func faultOf(err error) conformance.Outcome {
	if err == nil {
		return conformance.Conformant
	}
	if _, ok := errors.AsType[suiteError](err); ok {
		return conformance.SuiteFault
	}
	if userfiles.IsWrong(err) {
		return conformance.NotDecided
	}
	if _, ok := errors.AsType[usageError](err); ok {
		return conformance.Usage
	}
	return conformance.OutcomeOf(err)
}

// gcPercent lets the heap grow more before it is collected than Go does by default: it is a few megabytes, of values
// that live for one request, and collecting it less often makes a run a fifth faster.
const gcPercent = 400

// suiteLimit is heapLimit for a run of the suite, which holds 30 MB: a busy machine, which collects late, takes no more
// memory than a quiet one. It is not that of the cases which are made for profiles: those of all profiles are 70 MB.
const suiteLimit = 112 << 20

// heapLimit is the heap in bytes from which on it is collected more often again: what is read is bounded, and a run
// must not take five times as much as it holds.
const heapLimit = 320 << 20

// isProgram is false in a test, whose process carries out many commands at once: none of them sets its collector.
var isProgram bool

// setCollector leaves alone what the environment sets.
func setCollector(limit int64) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit)
	}
}

func main() {
	isProgram = true
	setCollector(heapLimit)
	if err := checkAddressSpace(); err != nil {
		fmt.Fprintf(os.Stderr, "loopstone: %v\n", err)
		os.Exit(int(conformance.NotDecided))
	}
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a reader that has gone must not cost the other reports
	ctx, stop := interruptible(os.Stderr)
	outcome := dispatch(ctx, streams{in: os.Stdin, out: standardOutput(), err: os.Stderr}, os.Args[1:])
	stop()
	os.Exit(int(outcome))
}

// nobodyReads is the outcome of a command whose only problem is that the reader of its output has gone, as head does.
// It is the exit code that a shell gives a program which the signal SIGPIPE ends.
const nobodyReads conformance.Outcome = 128 + 13

// nobodyReadsOn reports whether nothing is wrong but that standard output lost its reader.
func nobodyReadsOn(out *output, err error) bool {
	return errors.Is(out.err, syscall.EPIPE) &&
		!slices.ContainsFunc(problemsOf(err), func(problem error) bool { return !errors.Is(problem, out.err) })
}

// dispatch runs a command and tells what went wrong, in one line and with the tool's name before it.
func dispatch(ctx context.Context, std streams, args []string) conformance.Outcome {
	args, err := prepared(args)
	out := &output{Writer: std.out}
	std.out = out
	root, outcome := newRoot(&std, append([]string{}, args...))
	root.SetArgs(args)
	called := root
	if err == nil {
		called, err = root.ExecuteContextC(ctx)
	} else if found, _, findErr := root.Find(args); findErr == nil {
		called = found
	}
	switch {
	case out.err == nil:
	case nobodyReadsOn(out, err) && ctx.Err() == nil:
		if *outcome == conformance.NotConformant {
			return *outcome
		}
		return nobodyReads
	case err == nil:
		err = fmt.Errorf("write to standard output: %w", out.err)
	case errors.Is(err, out.err): // which is no fault of a port, nor of a call
		err = fmt.Errorf("write to standard output: %w", out.err)
		if *outcome != conformance.NotConformant && *outcome != conformance.SuiteFault { // a fault that was found stands
			*outcome = conformance.NotDecided
		}
	}
	if ctx.Err() == nil { // what a port writes when it is interrupted explains nothing
		err = launch.WithStandardError(err)
	}
	return tell(ctx, std, called, *outcome, err)
}

// tell says what an error of a command means, and returns the outcome.
func tell(ctx context.Context, std streams, called *cobra.Command, outcome conformance.Outcome,
	err error,
) conformance.Outcome {
	if err != nil && outcome == conformance.AdapterFault { // unless the time was up, or the run was interrupted
		outcome = conformance.OutcomeOf(err)
	}
	var wrongCall usageError
	switch {
	case err == nil && strings.HasPrefix(called.Name(), cobra.ShellCompRequestCmd): // what the scripts of completion call
		return conformance.Conformant
	case err == nil:
	case errors.Is(err, errNoCommand):
		return conformance.Usage
	case ctx.Err() != nil: // what an interruption broke is nobody's fault
		sayf(std.err, "%s: %s\n", called.CommandPath(), bounded(whyInterrupted(ctx, err)))
		if _, stands := errors.AsType[judgedError](err); !stands {
			return conformance.NotDecided
		}
	case userfiles.IsWrong(err):
		sayf(std.err, "%s: %s\n", called.CommandPath(), bounded(err.Error()))
		if outcome != conformance.NotConformant && outcome != conformance.SuiteFault { // a fault that was found stands
			return conformance.NotDecided
		}
	case errors.As(err, &wrongCall):
		sayf(std.err, "%s: %s\n", called.CommandPath(), bounded(err.Error()))
		if called.HasParent() {
			fmt.Fprintf(std.err, "  usage: %s\n", called.UseLine())
		}
		return conformance.Usage
	default:
		sayf(std.err, "%s: %s\n", called.CommandPath(), bounded(err.Error()))
		if outcome == conformance.Conformant { // a report, say, that was not written
			return conformance.NotDecided
		}
	}
	return outcome
}

// mostMessage is how many characters of an error are printed: a command, say, may have a million words.
const mostMessage = 64 << 10

func bounded(message string) string { return wording.Shortened(message, mostMessage) }

// whyInterrupted says which signal ended a command and, if an error says more than that, how far the command came.
func whyInterrupted(ctx context.Context, err error) string {
	why := fmt.Sprintf("interrupted (%v)", context.Cause(ctx))
	if slices.Contains([]error{ctx.Err(), context.Cause(ctx)}, err) { // a wrapped one says more
		return why
	}
	return fmt.Sprintf("%s: %v", why, err)
}

// panicked returns the error of what a deferred function recovered: our own fault.
func panicked(p any) error {
	return suiteError{fmt.Errorf("the suite is wrong: it panicked: %v\n%s", p, debug.Stack())}
}

// runSafely runs a command, and ends the ports that it has started. A panic that nobody else caught is our own fault:
// without this, it would end the program with the code 2, which says that nobody knows.
func (run runner) runSafely(ctx context.Context, std streams, c call) (outcome conformance.Outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			outcome, err = conformance.SuiteFault, panicked(p)
		}
	}()
	std.ports = &launch.Group{}
	defer std.endPorts()
	return run(ctx, std, c)
}
