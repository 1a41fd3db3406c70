package stdio

import (
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// stderrLines is how many of the last lines of stderr an error carries: enough for a stack trace's end.
const stderrLines = 20

// Reason says in which way an adapter failed.
type Reason string

// The reasons.
const (
	NotStarted    Reason = "did not start"
	Exited        Reason = "exited"             // without being asked to
	TimedOut      Reason = "timed out"          // and was killed
	BrokeProtocol Reason = "broke the protocol" // and was killed
	Cancelled     Reason = "was cancelled"      // the context of its start ended
	Closed        Reason = "was closed"         // by Close; not the adapter's fault
)

// ProcessError means that an adapter is gone: the calls that were waiting for it and all later ones return it.
type ProcessError struct {
	Reason  Reason
	Command string // as it was started

	// Method and Session tell the oldest request that was not answered, which is the one that the adapter was working
	// on if it answers in order. They are empty where there was none.
	Method, Session string

	Problem string // what happened, in words that are the same at every occurrence
	Line    string // the line that was wrong, quoted and cut where it is long; empty without one
	Exit    *Exit  // how it ended by itself; nil where it did not
	Stderr  string // the last lines that it wrote there
	Err     error  // the cause, where there is one
}

// Error returns all but the stderr, in one line.
func (e *ProcessError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", e.Command, e.Reason)
	if e.Method != "" {
		fmt.Fprintf(&b, " at %s", e.Method)
	}
	if e.Session != "" {
		fmt.Fprintf(&b, " of session %s", e.Session)
	}
	fmt.Fprintf(&b, ": %s", e.Problem)
	if e.Err != nil {
		fmt.Fprintf(&b, ": %v", e.Err)
	}
	if e.Line != "" {
		fmt.Fprintf(&b, ": %s", e.Line)
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *ProcessError) Unwrap() error { return e.Err }

// CodeError is an error answer that the protocol does not have for a request that is as it should be: an unknown code,
// or an unknown kind of refusal. The port goes on.
type CodeError struct {
	Method  string
	Code    int
	Kind    spec.FaultKind // data.kind; empty without one
	Message string
}

// Error returns the code, the kind and the message in one line.
func (e *CodeError) Error() string {
	text := fmt.Sprintf("%s: the protocol has no error %d for it", e.Method, e.Code)
	if e.Code == badParams {
		text = fmt.Sprintf("%s: the protocol has no error of kind %q", e.Method, e.Kind)
	}
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}
