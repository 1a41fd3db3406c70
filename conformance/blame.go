package conformance

import (
	"context"
	"errors"
	"fmt"

	"github.com/loopstone/loopstone/conformance/stdio"
)

// blame says whose fault it is that a port could not be asked, while one case ran alone:
//
//   - a process that dies on a case (a status other than 0, a signal) is a port that fails it;
//   - one that breaks the protocol, or leaves of its own accord, is an adapter that is broken;
//   - one that does not answer in time leaves the case undecided: the machine may have been slow.
func blame(err error) (Status, string, *Failure) {
	var gone *stdio.ProcessError
	if !errors.As(err, &gone) {
		return Undecided, err.Error(), nil
	}
	reason := gone.Error()
	var place *stranded
	if errors.As(err, &place) {
		reason += place.at()
	}
	reason = withLastWords(reason, gone.Stderr)
	switch {
	case gone.Reason == stdio.Exited && gone.Exit != nil && *gone.Exit != (stdio.Exit{}):
		failure := Failure{}
		if place != nil {
			failure = place.where
		}
		failure.Problem = fmt.Sprintf("the port's process died: %s", gone.Exit)
		return Failed, reason, &failure
	case isNobodysFault(gone):
		return Undecided, reason, nil
	default:
		return Broken, reason, nil
	}
}

// isNobodysFault reports whether an error says that the time was up or the run was ended.
func isNobodysFault(err error) bool {
	var gone *stdio.ProcessError
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		errors.As(err, &gone) && (gone.Reason == stdio.TimedOut || gone.Reason == stdio.Cancelled)
}
