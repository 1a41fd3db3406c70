// Package shared is the detector swarm for workers in several processes, on several machines: their totals are in a
// Redis that all of them reach. A session that names its swarm is one of many; one that does not has a swarm of its own.
//
// Each request is one round trip: a script counts a whole batch at one moment, so that nothing is lost, counted twice or
// seen half. The scripts, report.lua and replace.lua, are all that ports of several languages must share; they say which
// keys there are. The clauses are SW-32 to SW-42 in spec/clauses/swarm.md.
//
// Whoever has all workers in one process needs none of this: package swarm counts in memory.
package shared

import (
	"context"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/reference/fingerprint"
	"github.com/loopstone/loopstone/reference/swarm"
	"github.com/loopstone/loopstone/spec"
)

// port is another port whose swarms are in a store.
type port struct {
	spec.Port
	store *Store
}

// Port returns a port that is the given one, but for the detector swarm: its sessions have their totals in the store.
func (s *Store) Port(others spec.Port) spec.Port { return port{Port: others, store: s} }

// Describe implements [spec.Port].
func (p port) Describe(ctx context.Context) (spec.Description, error) {
	d, err := p.Port.Describe(ctx)
	d.Detectors = slices.Clone(d.Detectors)
	for i := range d.Detectors {
		if o := &d.Detectors[i]; o.Detector == spec.Swarm {
			o.Features = append(slices.Clone(o.Features), spec.Shared)
		}
	}
	return d, err
}

// Open implements [spec.Port].
func (p port) Open(ctx context.Context, id spec.DetectorID, reading spec.Reading, config spec.Value) (spec.Session, error) {
	if id != spec.Swarm || reading != spec.Text || config.Kind() != spec.Absent && config.Kind() != spec.Object {
		return p.Port.Open(ctx, id, reading, config)
	}
	limits, err := swarm.ReadLimits(config.Without("swarm")) // SW-38
	if err != nil {
		return nil, err
	}
	s := &session{limits: limits, trails: map[string]*spec.Trail{}}
	switch name := config.Get("swarm"); name.Kind() { // SW-32
	case spec.Absent:
		s.totals = p.store.alone()
	case spec.String:
		text, _ := name.Str()
		s.totals, s.named = p.store.named(text), true
	default:
		return nil, spec.BadConfig("swarm", "want a text, got %s", name)
	}
	return s, nil
}

// session is one of a swarm's.
type session struct {
	swarm.Checker
	totals totals
	limits swarm.Limits
	named  bool                   // others may have the same swarm
	next   int                    // index of the next event
	mark   string                 // of the latest reset or restore that an answer told of
	trails map[string]*spec.Trail // of this session's calls since then, by fingerprint
}

// Observe implements [spec.Session].
func (s *session) Observe(ctx context.Context, values []spec.Value) ([]spec.Value, error) {
	events, err := s.decode(values)
	if err != nil {
		return nil, err
	}
	var batch []report
	for _, e := range events {
		if e.Type == spec.ToolCall { // SW-1
			text := string(fingerprint.Append(nil, e.Tool, e.Args)) // SW-3
			batch = append(batch, report{id: s.id(e), fingerprint: text, worker: e.Worker, tool: e.Tool})
		}
	}
	var tallies []tally
	if len(batch) > 0 {
		if tallies, err = s.send(ctx, batch); err != nil {
			return nil, err
		}
	}
	verdicts := make([]spec.Value, len(events))
	for i, e := range events {
		var v spec.Verdict
		if e.Type == spec.ToolCall {
			v = s.verdict(e, batch[0].fingerprint, tallies[0])
			batch, tallies = batch[1:], tallies[1:]
		}
		verdicts[i] = v.Value()
	}
	s.next += len(events)
	return verdicts, nil
}

// decode checks the whole batch before any of it is sent.
func (s *session) decode(values []spec.Value) ([]spec.Event, error) {
	events := make([]spec.Event, len(values))
	for i, v := range values {
		e, err := spec.DecodeEvent(v)
		if err == nil {
			err = s.CheckEvent(e)
		}
		if err != nil {
			return nil, err
		}
		e.Index = s.next + i
		events[i] = e
	}
	return events, nil
}

// id returns the id of a call's report, where it has one. The length tells where the worker ends.
func (s *session) id(call spec.Event) string {
	if !s.named || !call.HasID { // SW-35
		return ""
	}
	return fmt.Sprintf("w%d:%s%s", len(call.Worker), call.Worker, call.ID)
}

// send reports the batch. What was seen before a reset or a restore of the swarm is evidence no longer. [SW-39]
func (s *session) send(ctx context.Context, batch []report) ([]tally, error) {
	mark, tallies, err := s.totals.report(ctx, batch)
	if err == nil && mark != s.mark {
		s.mark = mark
		clear(s.trails)
	}
	return tallies, err
}

func (s *session) verdict(call spec.Event, fingerprint string, t tally) spec.Verdict {
	trail := s.trails[fingerprint]
	if trail == nil {
		trail = &spec.Trail{}
		s.trails[fingerprint] = trail
	}
	if t.own {
		trail.Add(call.Index)
	}
	v := s.limits.Judge(call.Tool, t.count, t.workers)
	if v.Loop {
		v.Evidence = trail.Last(t.count) // SW-39
	}
	return v
}

// Reset implements [spec.Session].
func (s *session) Reset(ctx context.Context) error { return s.totals.replace(ctx, spec.Value{}) }

// State implements [spec.Session].
func (s *session) State(context.Context) (spec.Value, error) {
	return spec.Value{}, spec.NotSupported(string(spec.State), "the detector has no visible state")
}

// Snapshot implements [spec.Session].
func (s *session) Snapshot(ctx context.Context) (spec.Value, error) { return s.totals.snapshot(ctx) }

// Restore implements [spec.Session].
func (s *session) Restore(ctx context.Context, state spec.Value) error {
	if err := swarm.NewTotals(s.limits).Restore(state); err != nil { // SW-23: it is checked before any of it is sent
		return err
	}
	return s.totals.replace(ctx, state)
}

// Close implements [spec.Session]. A swarm with a name is there for the others, and for those who come later.
func (s *session) Close(ctx context.Context) error { // SW-37
	if s.named {
		return nil
	}
	return s.totals.forget(ctx)
}
