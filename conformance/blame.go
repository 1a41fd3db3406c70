package conformance

import (
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
	if gone.Stderr != "" {
		reason += "; its last words: " + gone.Stderr
	}
	switch {
	case gone.Reason == stdio.Exited && gone.Exit != nil && *gone.Exit != (stdio.Exit{}):
		return Failed, reason, &Failure{Problem: fmt.Sprintf("the port's process died: %s", gone.Exit)}
	case gone.Reason == stdio.TimedOut || gone.Reason == stdio.Cancelled:
		return Undecided, reason, nil
	default:
		return Broken, reason, nil
	}
}
