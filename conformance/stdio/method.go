package stdio

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// methods holds the protocol's methods. Each takes the params as they were sent, checks them, and returns the result;
// its error is a [*spec.Fault] where the request is refused.
var methods = map[string]func(*server, context.Context, spec.Value) (spec.Value, error){
	"initialize":       (*server).initialize,
	"session/open":     (*server).open,
	"session/observe":  (*server).observe,
	"session/reset":    (*server).reset,
	"session/state":    (*server).state,
	"session/snapshot": (*server).snapshot,
	"session/restore":  (*server).restore,
	"session/close":    (*server).close,
	"function/call":    (*server).call,
	"shutdown":         (*server).shutdown,
}

// Methods lists the names of the protocol's methods, sorted.
func Methods() []string { return slices.Sorted(maps.Keys(methods)) }

// done is the result of methods that have nothing to tell.
var done = spec.ObjectValue()

// initialize tells which version is spoken here, whichever the runner asked for: it decides whether that will do.
func (s *server) initialize(ctx context.Context, params spec.Value) (spec.Value, error) {
	if k := params.Get("protocol").Kind(); k != spec.Number && k != spec.Absent {
		return spec.Value{}, spec.BadParams("protocol: want a number, got %s", k)
	}
	d, err := s.port.Describe(ctx)
	if err != nil {
		return spec.Value{}, err
	}
	return descriptionValue(d), nil
}

func (s *server) open(ctx context.Context, params spec.Value) (spec.Value, error) {
	texts, err := textParams(params, "session", "detector", "reading")
	if err != nil {
		return spec.Value{}, err
	}
	name, detector, reading := texts[0], spec.DetectorID(texts[1]), spec.Reading(texts[2])
	if _, taken := s.sessions[name]; taken {
		return spec.Value{}, spec.BadParams("session %q is open already", name)
	}
	session, err := s.port.Open(ctx, detector, reading, params.Get("config"))
	if err != nil {
		return spec.Value{}, err
	}
	s.sessions[name] = session
	return done, nil
}

func (s *server) observe(ctx context.Context, params spec.Value) (spec.Value, error) {
	session, _, err := s.session(params)
	if err != nil {
		return spec.Value{}, err
	}
	events := params.Get("events")
	if events.Kind() != spec.Array {
		return spec.Value{}, spec.BadParams("events: want an array, got %s", events.Kind())
	}
	verdicts, err := session.Observe(ctx, events.Items())
	return result("verdicts", spec.ArrayValue(verdicts...)), err
}

func (s *server) reset(ctx context.Context, params spec.Value) (spec.Value, error) {
	session, _, err := s.session(params)
	if err != nil {
		return spec.Value{}, err
	}
	return done, session.Reset(ctx)
}

func (s *server) state(ctx context.Context, params spec.Value) (spec.Value, error) {
	session, _, err := s.session(params)
	if err != nil {
		return spec.Value{}, err
	}
	state, err := session.State(ctx)
	return result("state", state), err
}

func (s *server) snapshot(ctx context.Context, params spec.Value) (spec.Value, error) {
	session, _, err := s.session(params)
	if err != nil {
		return spec.Value{}, err
	}
	state, err := session.Snapshot(ctx)
	return result("state", state), err
}

func (s *server) restore(ctx context.Context, params spec.Value) (spec.Value, error) {
	session, _, err := s.session(params)
	if err != nil {
		return spec.Value{}, err
	}
	state := params.Get("state")
	if state.IsAbsent() {
		return spec.Value{}, spec.BadParams("state: want an object, got absent")
	}
	return done, session.Restore(ctx, state)
}

func (s *server) close(ctx context.Context, params spec.Value) (spec.Value, error) {
	session, name, err := s.session(params)
	if err != nil {
		return spec.Value{}, err
	}
	if err := session.Close(ctx); err != nil {
		return spec.Value{}, err
	}
	delete(s.sessions, name)
	return done, nil
}

// call leaves it to the port what a call without a reading means.
func (s *server) call(ctx context.Context, params spec.Value) (spec.Value, error) {
	texts, err := textParams(params, "function")
	if err != nil {
		return spec.Value{}, err
	}
	reading, isText := params.Get("reading").Str()
	if k := params.Get("reading").Kind(); !isText && k != spec.Absent {
		return spec.Value{}, spec.BadParams("reading: want a string, got %s", k)
	}
	value, err := s.port.Call(ctx, texts[0], spec.Reading(reading), params.Get("args"))
	return result("value", value), err
}

func (s *server) shutdown(context.Context, spec.Value) (spec.Value, error) {
	s.down = true
	return done, nil
}

// session returns the open session that the params name, and its name.
func (s *server) session(params spec.Value) (spec.Session, string, error) {
	texts, err := textParams(params, "session")
	if err != nil {
		return nil, "", err
	}
	session, open := s.sessions[texts[0]]
	if !open {
		return nil, "", &spec.Fault{Kind: spec.UnknownSession, Message: fmt.Sprintf("no session %q is open", texts[0])}
	}
	return session, texts[0], nil
}

// textParams returns the params of those names, each of which must be a string.
func textParams(params spec.Value, names ...string) ([]string, error) {
	texts := make([]string, len(names))
	for i, name := range names {
		text, ok := params.Get(name).Str()
		if !ok {
			return nil, spec.BadParams("%s: want a string, got %s", name, params.Get(name).Kind())
		}
		texts[i] = text
	}
	return texts, nil
}

// result returns an object of one member.
func result(name string, value spec.Value) spec.Value {
	return spec.ObjectValue(spec.Member{Name: name, Value: value})
}
