package conformance

import (
	"context"
	"errors"
	"fmt"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/conformance/stdio"
)

// TestBlame says of every way in which a port can be gone whose fault it is.
func TestBlame(t *testing.T) {
	died := &stdio.Exit{Code: 3}
	at := func(err error) error {
		return &stranded{where: Failure{Step: 2, Steps: 4, Action: "tool_call"}, cause: err}
	}
	tests := []struct {
		why     string
		err     error
		status  Status
		reason  string
		failure *Failure
	}{
		{"nobody's", errors.New("no idea"), Undecided, "no idea", nil},
		{
			"the port's", at(&stdio.ProcessError{Reason: stdio.Exited, Command: "c", Problem: "p", Exit: died}), Failed,
			"c exited: p; step 2 of 4: tool_call",
			&Failure{Step: 2, Steps: 4, Action: "tool_call", Problem: "the port's process died: exit status 3"},
		},
		{
			"the port's, outside steps", &stdio.ProcessError{Reason: stdio.Exited, Command: "c", Problem: "p", Exit: died, Stderr: "oh"}, Failed,
			"c exited: p; its last words: oh", &Failure{Problem: "the port's process died: exit status 3"},
		},
		{
			"the port's, by a signal", &stdio.ProcessError{Reason: stdio.Exited, Command: "c", Problem: "p", Exit: &stdio.Exit{Code: -1, Signal: "killed"}}, Failed,
			"c exited: p", &Failure{Problem: "the port's process died: signal killed"},
		},
		{"the adapter's: it left", at(&stdio.ProcessError{Reason: stdio.Exited, Command: "c", Problem: "p", Exit: &stdio.Exit{}}), Broken, "c exited: p; step 2 of 4: tool_call", nil},
		{"the adapter's: nobody knows how it ended", &stdio.ProcessError{Reason: stdio.Exited, Command: "c", Problem: "p"}, Broken, "c exited: p", nil},
		{"the adapter's: its words", &stdio.ProcessError{Reason: stdio.BrokeProtocol, Command: "c", Problem: "p", Exit: died}, Broken, "c broke the protocol: p", nil},
		{"nobody's: the time", &stdio.ProcessError{Reason: stdio.TimedOut, Command: "c", Problem: "p", Exit: died}, Undecided, "c timed out: p", nil},
		{"nobody's: the run was ended", &stdio.ProcessError{Reason: stdio.Cancelled, Command: "c", Problem: "p"}, Undecided, "c was cancelled: p", nil},
		{
			"nobody's: a cause that says so", &stdio.ProcessError{Reason: stdio.Closed, Command: "c", Problem: "p", Err: context.Canceled}, Undecided,
			"c was closed: p: context canceled", nil,
		},
	}
	for _, test := range tests {
		status, reason, failure := blame(fmt.Errorf("%w", test.err))
		if reason != test.reason || status != test.status || !gocmp.Equal(failure, test.failure) {
			t.Errorf("%s: got %s, %q, %+v\nwant %s, %q, %+v", test.why, status, reason, failure, test.status, test.reason, test.failure)
		}
	}
}

// TestBlameNobody lists the errors that accuse nobody, wrapped or not, and some that accuse someone.
func TestBlameNobody(t *testing.T) {
	for _, err := range []error{
		context.Canceled, context.DeadlineExceeded, fmt.Errorf("in vain: %w", context.DeadlineExceeded),
		&stdio.ProcessError{Reason: stdio.TimedOut}, fmt.Errorf("x: %w", &stdio.ProcessError{Reason: stdio.Cancelled}),
	} {
		if !isNobodysFault(err) {
			t.Errorf("%v accuses someone", err)
		}
	}
	for _, err := range []error{
		errors.New("no"), &stdio.ProcessError{Reason: stdio.Exited}, &stdio.ProcessError{Reason: stdio.Closed}, &stdio.ProcessError{},
	} {
		if isNobodysFault(err) {
			t.Errorf("%v accuses nobody", err)
		}
	}
}
