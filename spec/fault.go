package spec

import (
	"fmt"

	"github.com/loopstone/loopstone/internal/wording"
)

// FaultKind says in which way a request was wrong. The names are the values of `data.kind` in the protocol.
type FaultKind string

// The kinds of fault with which a port refuses a request. But for Unavailable, a refused request changes no state.
const (
	InvalidConfig   FaultKind = "invalid_config"   // Field names the top-level member
	InvalidEvent    FaultKind = "invalid_event"    // Field names the bare member
	InvalidState    FaultKind = "invalid_state"    // a state that no snapshot could have written
	UnknownSession  FaultKind = "unknown_session"  // no session of that name is open
	UnknownFunction FaultKind = "unknown_function" // no such pure function
	Unsupported     FaultKind = "unsupported"      // Feature names the feature, detector or reading that is not there
	InvalidParams   FaultKind = "invalid_params"   // any other request that is not as it should be

	// Unavailable: the store of a shared swarm does not answer, or accepts no more data. Only this kind does not say
	// that nothing has changed: the request took effect as a whole, or will, or never does. If it is sent again with
	// the same report ids, it counts once.
	Unavailable FaultKind = "unavailable"
)

// FaultKinds lists every kind, in the order of the protocol's description.
var FaultKinds = []FaultKind{
	InvalidConfig, InvalidEvent, InvalidState, UnknownSession, UnknownFunction, Unsupported, InvalidParams,
	Unavailable,
}

// Fault is the error with which a port refuses a request: the request was wrong, or the store is away. The port itself
// works.
type Fault struct {
	Kind    FaultKind
	Field   string // the offending member, for InvalidConfig and InvalidEvent
	Feature string // what is not there, for Unsupported
	Message string // for people
}

// Error returns the kind, the place and the message in one line.
func (f *Fault) Error() string {
	text := string(f.Kind)
	if f.Field != "" {
		text += " " + f.Field
	}
	if f.Feature != "" {
		text += " " + f.Feature
	}
	if f.Message != "" {
		text += ": " + f.Message
	}
	return wording.Line(text) // a port chose its words
}

// BadEvent returns the fault for an event whose member field is not as it should be.
func BadEvent(field, format string, args ...any) *Fault {
	return &Fault{Kind: InvalidEvent, Field: field, Message: fmt.Sprintf(format, args...)}
}

// BadConfig returns the fault for a configuration whose member field is not as it should be.
func BadConfig(field, format string, args ...any) *Fault {
	return &Fault{Kind: InvalidConfig, Field: field, Message: fmt.Sprintf(format, args...)}
}

// BadState returns the fault for a state that no snapshot could have written.
func BadState(format string, args ...any) *Fault {
	return &Fault{Kind: InvalidState, Message: fmt.Sprintf(format, args...)}
}

// BadParams returns the fault for a request that is wrong in any other way.
func BadParams(format string, args ...any) *Fault {
	return &Fault{Kind: InvalidParams, Message: fmt.Sprintf(format, args...)}
}

// NotSupported returns the fault for a feature, detector or reading that the port does not have.
func NotSupported(feature, format string, args ...any) *Fault {
	return &Fault{Kind: Unsupported, Feature: feature, Message: fmt.Sprintf(format, args...)}
}
