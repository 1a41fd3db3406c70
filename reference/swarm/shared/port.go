package shared

import (
	"context"
	"slices"
	"strconv"

	"github.com/loopstone/loopstone/reference/fingerprint"
	"github.com/loopstone/loopstone/reference/parts/memory"
	"github.com/loopstone/loopstone/reference/swarm"
	"github.com/loopstone/loopstone/spec"
)

// port is another port whose swarms are in a store.
type port struct {
	spec.Port
	store *Store
}

// Port returns the given port with another detector swarm, whose sessions have their totals in the store.
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
func (p port) Open(ctx context.Context, id spec.DetectorID, reading spec.Reading,
	config spec.Value,
) (spec.Session, error) {
	if id != spec.Swarm || reading != spec.Text || config.Kind() != spec.Absent && config.Kind() != spec.Object {
		return p.Port.Open(ctx, id, reading, config)
	}
	row, _ := spec.DefinitionOf(spec.Swarm)
	settings, err := row.Offer().Read(reading, config) // SW-38
	if err != nil {
		return nil, err
	}
	s := &session{limits: swarm.LimitsOf(settings), own: map[string]*ownCalls{}}
	if settings.Value("swarm").IsAbsent() { // SW-32
		s.totals = p.store.alone()
	} else {
		s.totals, s.named = p.store.named(settings.Text("swarm")), true
	}
	return s, nil
}

// session is one session of a swarm.
type session struct {
	swarm.Checker
	totals *totals
	limits swarm.Limits
	named  bool                 // others may have the same swarm
	next   int                  // index of the next event
	mark   string               // of the totals that the calls below were counted in
	own    map[string]*ownCalls // since then, by fingerprint
	text   []byte               // where fingerprints are written, one after the other
}

// ownCalls are the calls of a session with the same fingerprint.
type ownCalls struct {
	fingerprint string
	trail       memory.Trail
}

// Observe implements [spec.Session]. It checks all events before it sends any of them.
func (s *session) Observe(ctx context.Context, values []spec.Value) ([]spec.Value, error) {
	verdicts, batch := make([]spec.Value, len(values)), make([]report, 0, len(values))
	for i, v := range values {
		e, err := spec.DecodeEvent(v)
		if err == nil {
			err = s.CheckEvent(e)
		}
		if err != nil {
			return nil, err
		}
		if verdicts[i] = noLoop; e.Type == spec.ToolCall { // SW-1
			batch = append(batch, report{id: s.id(e), own: s.ownCalls(e), worker: e.Worker, tool: e.Tool, position: i})
		}
	}
	if len(batch) > 0 {
		tallies, err := s.send(ctx, batch)
		if err != nil {
			return nil, err
		}
		for i, r := range batch {
			verdicts[r.position] = s.verdict(r, tallies[i])
		}
	}
	s.next += len(values)
	return verdicts, nil
}

var noLoop = spec.Verdict{}.Value()

// id returns the id of a call's report; empty if it has none. The length says where the worker's name ends.
func (s *session) id(call spec.Event) string {
	if !s.named || !call.HasID { // SW-35
		return ""
	}
	return "w" + strconv.Itoa(len(call.Worker)) + ":" + call.Worker + call.ID
}

// ownCalls returns the session's calls that have the fingerprint of this one.
func (s *session) ownCalls(call spec.Event) *ownCalls {
	s.text = fingerprint.Append(s.text[:0], call.Tool, call.Args) // SW-3
	own := s.own[string(s.text)]
	if own == nil {
		own = &ownCalls{fingerprint: string(s.text)}
		s.own[own.fingerprint] = own
	}
	return own
}

// send reports the batch. Calls from before a reset or a restore of the swarm are no evidence any more.
func (s *session) send(ctx context.Context, batch []report) ([]tally, error) { // SW-39
	mark, tallies, err := s.totals.report(ctx, batch)
	if err == nil && mark != s.mark {
		s.mark = mark
		clear(s.own)
		for _, r := range batch {
			r.own.trail = memory.Trail{}
			s.own[r.own.fingerprint] = r.own
		}
	}
	return tallies, err
}

func (s *session) verdict(r report, t tally) spec.Value {
	if t.own {
		r.own.trail.Add(s.next + r.position)
	}
	v := s.limits.Judge(r.tool, t.count, t.workers)
	if !v.Loop {
		return noLoop
	}
	v.Evidence = r.own.trail.Last(t.count) // SW-39
	return v.Value()
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
	if _, err := swarm.ReadState(state); err != nil { // SW-23: it is checked before any of it is sent
		return spec.BadState("%v", err)
	}
	return s.totals.replace(ctx, state)
}

// Close implements [spec.Session]. A swarm with a name stays, for other and for later sessions.
func (s *session) Close(ctx context.Context) error { // SW-37
	if s.named {
		return nil
	}
	return s.totals.forget(ctx)
}
