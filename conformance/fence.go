package conformance

import (
	"context"
	"fmt"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// panicked is the error of a port in this process that panicked.
type panicked struct{ value any }

// Error says that the port panicked, and with what.
func (p *panicked) Error() string { return fmt.Sprintf("the port panicked: %v", p.value) }

// fence is a Port of this process whose panics come back as errors, so that they are told from those of the suite's own
// code around it.
type fence struct {
	spec.Port
	blame func(error) error // what becomes of an error; not called for nil
}

// fenced returns the port with its panics made errors of the kind [*panicked]. A client of the protocol is our own
// code, whose panics are our own fault.
func fenced(port spec.Port) spec.Port {
	switch port.(type) {
	case *Adapter, *stdio.Client:
		return port
	default:
		return fence{port, func(err error) error { return err }}
	}
}

// settle is deferred by every method: it makes a panic an error, and says whose error it is.
func (f fence) settle(err *error) {
	if p := recover(); p != nil {
		*err = &panicked{p}
	}
	if *err != nil {
		*err = f.blame(*err)
	}
}

// Describe implements [spec.Port].
func (f fence) Describe(ctx context.Context) (d spec.Description, err error) {
	defer f.settle(&err)
	return f.Port.Describe(ctx)
}

// Open implements [spec.Port].
func (f fence) Open(ctx context.Context, detector spec.DetectorID, reading spec.Reading, config spec.Value) (s spec.Session, err error) {
	defer f.settle(&err)
	s, err = f.Port.Open(ctx, detector, reading, config)
	return &fencedSession{s, f}, err
}

// Call implements [spec.Port].
func (f fence) Call(ctx context.Context, function string, reading spec.Reading, args spec.Value) (v spec.Value, err error) {
	defer f.settle(&err)
	return f.Port.Call(ctx, function, reading, args)
}

// fencedSession is a session of a fenced port.
type fencedSession struct {
	spec.Session
	fence fence
}

// Observe implements [spec.Session].
func (s *fencedSession) Observe(ctx context.Context, events []spec.Value) (verdicts []spec.Value, err error) {
	defer s.fence.settle(&err)
	return s.Session.Observe(ctx, events)
}

// Reset implements [spec.Session].
func (s *fencedSession) Reset(ctx context.Context) (err error) {
	defer s.fence.settle(&err)
	return s.Session.Reset(ctx)
}

// State implements [spec.Session].
func (s *fencedSession) State(ctx context.Context) (v spec.Value, err error) {
	defer s.fence.settle(&err)
	return s.Session.State(ctx)
}

// Snapshot implements [spec.Session].
func (s *fencedSession) Snapshot(ctx context.Context) (v spec.Value, err error) {
	defer s.fence.settle(&err)
	return s.Session.Snapshot(ctx)
}

// Restore implements [spec.Session].
func (s *fencedSession) Restore(ctx context.Context, state spec.Value) (err error) {
	defer s.fence.settle(&err)
	return s.Session.Restore(ctx, state)
}

// Close implements [spec.Session].
func (s *fencedSession) Close(ctx context.Context) (err error) {
	defer s.fence.settle(&err)
	return s.Session.Close(ctx)
}
