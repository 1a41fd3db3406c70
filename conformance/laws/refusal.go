package laws

import (
	"errors"
	"fmt"

	"github.com/loopstone/loopstone/spec"
)

// Refusal is the error of a trace of which a port refused a request.
type Refusal struct {
	Method string
	Fault  *spec.Fault
}

// Error returns what was refused and how, in one line.
func (r *Refusal) Error() string { return fmt.Sprintf("%s: %v", r.Method, r.Fault) }

// Unwrap returns the fault.
func (r *Refusal) Unwrap() error { return r.Fault }

// The requests of a trace.
const (
	openMethod     = "session/open"
	observeMethod  = "session/observe"
	resetMethod    = "session/reset"
	snapshotMethod = "session/snapshot"
	closeMethod    = "session/close"

	inOneGo = "session/open, session/observe and session/close, sent together"
)

// refusedAs says which request an error is about, if the error is a refusal of which that is not yet known.
func refusedAs(method string, err error) error {
	_, known := errors.AsType[*Refusal](err)
	if fault, refused := errors.AsType[*spec.Fault](err); refused && !known {
		return &Refusal{method, fault}
	}
	return err
}

// isOfTrace reports whether a port refuses a trace because of its detector, its configuration or an event: whether the
// port does so rightly, only agreement can tell. A store that does not respond is no fault of the port (SW-40).
func isOfTrace(f *spec.Fault) bool {
	switch f.Kind {
	case spec.InvalidConfig, spec.InvalidEvent, spec.Unsupported, spec.Unavailable:
		return true
	default:
		return false
	}
}

// broken returns the clause that the port breaks by the refusal, whatever the trace is; empty where it breaks none.
func (r *Refusal) broken() string {
	switch {
	case r.Fault.Kind == spec.Unavailable:
		return ""
	case r.Method == resetMethod:
		return "PR-16"
	case r.Method == snapshotMethod:
		return "PR-51"
	case r.Method == closeMethod:
		return "PR-17"
	case isOfTrace(r.Fault):
		return ""
	case r.Method == openMethod:
		return "PR-13"
	case r.Method == observeMethod:
		return "PR-14"
	default: // only requests that are sent together are refused
		return "PR-3"
	}
}

// breachOf returns the breach that a refusal is; false where it is none.
func (a *asking) breachOf(err error) (*Breach, bool) {
	refusal, refused := errors.AsType[*Refusal](err)
	if !refused || refusal.broken() == "" {
		return nil, false
	}
	return &Breach{
		Law: a.law, Step: -1, Problem: "the port refused what it must accept",
		Got: spec.StringValue(refusal.Error()), Clause: refusal.broken(), Refused: true,
	}, true
}
