package declared

import (
	"context"
	"slices"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// Port returns the port as it declares itself: a session of a detector with defaults of its own is opened with
// those of the specification, and a verdict has no member that is not declared. So what a port does not declare, nobody
// can hold against it.
func Port(port spec.Port, description spec.Description) spec.Port {
	if !slices.ContainsFunc(description.Detectors, func(o spec.Offer) bool {
		return o.Members != nil || o.Defaults == spec.OwnDefaults
	}) {
		return port
	}
	p := declaredPort{port, description}
	if adapter, ok := port.(*stdio.Adapter); ok {
		return declaredAdapter{p, adapter}
	}
	return p
}

type declaredPort struct {
	spec.Port
	description spec.Description
}

// declaredAdapter can be started anew, have further processes, and be told a trace in one go.
type declaredAdapter struct {
	declaredPort
	adapter *stdio.Adapter
}

// Restart implements [stdio.Restarter].
func (p declaredAdapter) Restart(ctx context.Context) error { return p.adapter.Restart(ctx) }

// Other implements [laws.Paired].
func (p declaredAdapter) Other(ctx context.Context) (spec.Port, error) {
	other, err := p.adapter.Other(ctx)
	return declaredPort{other, p.description}, err
}

// Spawn implements [stdio.Spawner].
func (p declaredAdapter) Spawn(ctx context.Context) (spec.Port, func(), error) {
	other, end, err := p.adapter.Spawn(ctx)
	return declaredPort{other, p.description}, end, err
}

// Play implements [spec.Player].
func (p declaredAdapter) Play(
	ctx context.Context, detector spec.DetectorID, reading spec.Reading, config spec.Value, events []spec.Value,
) ([]spec.Value, error) {
	offer, _ := p.description.Offer(detector)
	verdicts, err := p.adapter.Play(ctx, detector, reading, offer.Config(reading, config), events)
	return declaredVerdicts(offer, verdicts), err
}

// Open implements [spec.Port].
func (p declaredPort) Open(
	ctx context.Context, detector spec.DetectorID, reading spec.Reading, config spec.Value,
) (spec.Session, error) {
	offer, _ := p.description.Offer(detector) // of a detector that is not there, nothing is left out
	session, err := p.Port.Open(ctx, detector, reading, offer.Config(reading, config))
	if err != nil {
		return nil, err
	}
	return declaredSession{session, offer}, nil
}

type declaredSession struct {
	spec.Session
	offer spec.Offer
}

// Observe implements [spec.Session].
func (s declaredSession) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	verdicts, err := s.Session.Observe(ctx, events)
	return declaredVerdicts(s.offer, verdicts), err
}

func declaredVerdicts(offer spec.Offer, verdicts []spec.Value) []spec.Value {
	return lists.Map(verdicts, offer.Declared)
}
