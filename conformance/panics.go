package conformance

import (
	"context"
	"fmt"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// panicked is the error of a port in this process that panicked.
type panicked struct{ value any }

// Error says that the port panicked, and with which value.
func (p *panicked) Error() string { return fmt.Sprintf("the port panicked: %v", p.value) }

// recoveringPort is a Port of this process whose panics come back as errors, so that they are told from those of the
// suite's own code around it. Its methods, and those of its sessions, are those of the port.
type recoveringPort struct {
	spec.Port
	attribute func(error) error // returns an error as whose it is; not called for nil
}

// recovering returns the port with its panics made errors of the kind [*panicked]. A client of the protocol is our own
// code, whose panics are our own fault.
func recovering(port spec.Port) spec.Port {
	switch port.(type) {
	case *stdio.Adapter, *stdio.Client:
		return port
	default:
		return recoveringPort{port, func(err error) error { return err }}
	}
}

// settle is deferred by every method: it makes a panic an error, and says whose error it is.
func (p recoveringPort) settle(err *error) {
	if value := recover(); value != nil {
		*err = &panicked{value}
	}
	if *err != nil {
		*err = p.attribute(*err)
	}
}

func (p recoveringPort) Describe(ctx context.Context) (d spec.Description, err error) {
	defer p.settle(&err)
	return p.Port.Describe(ctx)
}

func (p recoveringPort) Open(
	ctx context.Context, detector spec.DetectorID, reading spec.Reading, config spec.Value,
) (s spec.Session, err error) {
	defer p.settle(&err)
	s, err = p.Port.Open(ctx, detector, reading, config)
	return &recoveringSession{s, p}, err
}

func (p recoveringPort) Call(
	ctx context.Context, function string, reading spec.Reading, args spec.Value,
) (v spec.Value, err error) {
	defer p.settle(&err)
	return p.Port.Call(ctx, function, reading, args)
}

// recoveringSession is a session of a recoveringPort.
type recoveringSession struct {
	spec.Session
	port recoveringPort
}

func (s *recoveringSession) Observe(ctx context.Context, events []spec.Value) (verdicts []spec.Value, err error) {
	defer s.port.settle(&err)
	return s.Session.Observe(ctx, events)
}

func (s *recoveringSession) Reset(ctx context.Context) (err error) {
	defer s.port.settle(&err)
	return s.Session.Reset(ctx)
}

func (s *recoveringSession) State(ctx context.Context) (v spec.Value, err error) {
	defer s.port.settle(&err)
	return s.Session.State(ctx)
}

func (s *recoveringSession) Snapshot(ctx context.Context) (v spec.Value, err error) {
	defer s.port.settle(&err)
	return s.Session.Snapshot(ctx)
}

func (s *recoveringSession) Restore(ctx context.Context, state spec.Value) (err error) {
	defer s.port.settle(&err)
	return s.Session.Restore(ctx, state)
}

func (s *recoveringSession) Close(ctx context.Context) (err error) {
	defer s.port.settle(&err)
	return s.Session.Close(ctx)
}
