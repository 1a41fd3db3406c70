package spec

import "context"

// Port is anything that can be tested: the reference, a foreign process behind the stdio protocol, a detector with a
// deliberate fault. It takes and returns JSON values, as the protocol does; docs/protocol.md describes them.
//
// A method returns a [*Fault] if the port refuses the request; then nothing has changed. Any other error means that the
// port could not answer: it is gone, it broke the protocol, or the time was up.
//
// A Port may be used by several goroutines at once.
type Port interface {
	Describe(ctx context.Context) (Description, error)
	// Open starts a session with an empty trace. An absent config stands for the defaults.
	Open(ctx context.Context, detector DetectorID, reading Reading, config Value) (Session, error)
	// Call evaluates a pure function.
	Call(ctx context.Context, function string, reading Reading, args Value) (Value, error)
}

// Player is implemented by a Port that can be told the whole trace of a session in one go: it opens a session, observes
// the events in one batch, closes the session, and returns the verdicts. It means the same as the three calls; a port
// behind a pipe saves two round trips.
type Player interface {
	Play(ctx context.Context, detector DetectorID, reading Reading, config Value, events []Value) ([]Value, error)
}

// Session is one agent's trace as one detector sees it. A Session is used by one goroutine at a time; several sessions
// of a port do not influence one another.
type Session interface {
	// Observe returns one verdict per event. If one event is wrong, no event is observed.
	Observe(ctx context.Context, events []Value) ([]Value, error)
	Reset(ctx context.Context) error
	State(ctx context.Context) (Value, error)
	Snapshot(ctx context.Context) (Value, error)
	Restore(ctx context.Context, state Value) error
	Close(ctx context.Context) error
}

// Description is how a port describes itself.
type Description struct {
	Name, Version, Language, URL string

	Detectors []Offer
}
