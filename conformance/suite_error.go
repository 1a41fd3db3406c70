package conformance

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// SuiteError is an error that is the fault of the suite: a case that cannot be carried out, a check that panicked, an
// oracle that has no answer. Nobody else may be blamed for it.
type SuiteError struct {
	Problem string
	Err     error // nil where Problem says all
}

// Error returns what is wrong with the suite, in one line.
func (e *SuiteError) Error() string {
	if e.Err == nil {
		return e.Problem
	}
	return fmt.Sprintf("%s: %v", e.Problem, e.Err)
}

// Unwrap returns the cause.
func (e *SuiteError) Unwrap() error { return e.Err }

// asSuiteError turns a panic of the suite's own code into an error; called by a deferred function, with what recover
// returned.
func asSuiteError(panicked any) *SuiteError {
	return &SuiteError{Problem: fmt.Sprintf("a check panicked: %v%s", panicked, panicSite())}
}

// panicSite returns which function of this module panicked, for those who are to mend it; nothing where none is known.
func panicSite() string {
	var callers [64]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(1, callers[:])])
	for seen := false; ; {
		frame, more := frames.Next()
		if seen && strings.HasPrefix(frame.Function, module) {
			return fmt.Sprintf(" in %s, line %d", strings.TrimPrefix(frame.Function, module), frame.Line)
		}
		seen = seen || frame.Function == "runtime.gopanic"
		if !more {
			return ""
		}
	}
}

// module is what the names of this module's functions begin with.
const module = "github.com/loopstone/loopstone/"

// Oracle returns the port that others are compared with, such that what goes wrong in it, but for refusals, comes back
// as a [*SuiteError]: a port is not to be blamed for what its judge does not know.
func Oracle(port spec.Port) spec.Port {
	return fence{port, func(err error) error {
		var fault *spec.Fault
		if errors.As(err, &fault) || isNobodysFault(err) {
			return err
		}
		return &SuiteError{"the oracle has no answer", err}
	}}
}
