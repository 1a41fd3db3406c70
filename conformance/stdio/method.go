package stdio

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/loopstone/loopstone/spec"
)

// The error codes of the protocol.
const (
	notJSON       = -32700
	noRequest     = -32600
	unknownMethod = -32601
	badParams     = -32602
)

// rpcError is the error member of an answer.
type rpcError struct {
	code    int
	message string
	data    spec.Value // absent, or an object
}

// Error implements [error], so that a method can end with one.
func (e *rpcError) Error() string { return fmt.Sprintf("error %d: %s", e.code, e.message) }

func (e *rpcError) value() spec.Value {
	v := spec.ObjectValue().With("code", spec.IntValue(e.code)).With("message", spec.StringValue(e.message))
	if e.data.IsAbsent() {
		return v
	}
	return v.With("data", e.data)
}

// refusal returns a port's fault as the protocol writes it.
func refusal(f *spec.Fault) *rpcError {
	data := spec.ObjectValue().With("kind", spec.StringValue(string(f.Kind)))
	data = withText(withText(data, "field", f.Field), "feature", f.Feature)
	return &rpcError{code: badParams, message: cmp.Or(f.Message, string(f.Kind)), data: data}
}

// request is one message of the runner.
type request struct {
	id     spec.Value // absent for a notification
	method string
	params spec.Value
}

func (r request) isNotification() bool { return r.id.IsAbsent() }

// parseRequest reads one line. With an error, the request has its id where there is one to echo.
func parseRequest(line []byte) (request, *rpcError) {
	message, err := spec.ParseValue(line)
	if err != nil {
		return request{}, &rpcError{code: notJSON, message: err.Error()}
	}
	if message.Kind() != spec.Object {
		return request{}, &rpcError{code: noRequest, message: "want an object, got " + message.Kind().String()}
	}
	r := request{id: message.Get("id"), params: message.Get("params")}
	switch r.id.Kind() {
	case spec.Absent, spec.String, spec.Number:
	default:
		kind := r.id.Kind().String()
		return request{}, &rpcError{code: noRequest, message: "id: want a string or a number, got " + kind}
	}
	if message.Get("jsonrpc").Text() != "2.0" {
		return r, &rpcError{code: noRequest, message: `jsonrpc: want "2.0", got ` + message.Get("jsonrpc").String()}
	}
	method, ok := message.Get("method").Str()
	if !ok {
		return r, &rpcError{code: noRequest, message: "method: want a string, got " + message.Get("method").Kind().String()}
	}
	r.method = method
	return r, nil
}

// method takes the params as they were sent, checks them, and returns the result; its error is a [*spec.Fault] where
// the request is refused.
type method func(*server, context.Context, spec.Value) (spec.Value, error)

// methods holds the protocol's methods.
var methods = sync.OnceValue(func() map[string]method {
	return map[string]method{
		"initialize":       (*server).initialize,
		"session/open":     (*server).open,
		"session/observe":  inSession(observe),
		"session/reset":    inSession(reset),
		"session/state":    inSession(state),
		"session/snapshot": inSession(snapshot),
		"session/restore":  inSession(restore),
		"session/close":    (*server).close,
		"function/call":    (*server).call,
		"shutdown":         (*server).shutdown,
	}
})

// Methods lists the names of the protocol's methods, sorted.
func Methods() []string { return slices.Sorted(maps.Keys(methods())) }

// done is the result of methods that have nothing to tell.
var done = spec.ObjectValue()

// initialize tells which version is spoken here, whichever the runner asked for: it decides whether that will do.
func (s *server) initialize(ctx context.Context, _ spec.Value) (spec.Value, error) {
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

// inSession makes a method of something that is done to the open session that the params name.
func inSession(do func(context.Context, spec.Session, spec.Value) (spec.Value, error)) method {
	return func(s *server, ctx context.Context, params spec.Value) (spec.Value, error) {
		session, _, err := s.session(params)
		if err != nil {
			return spec.Value{}, err
		}
		return do(ctx, session, params)
	}
}

func observe(ctx context.Context, session spec.Session, params spec.Value) (spec.Value, error) {
	events := params.Get("events")
	if events.Kind() != spec.Array {
		return spec.Value{}, spec.BadParams("events: want an array, got %s", events.Kind())
	}
	verdicts, err := session.Observe(ctx, events.Items())
	return result("verdicts", spec.ArrayValue(verdicts...)), err
}

func reset(ctx context.Context, session spec.Session, _ spec.Value) (spec.Value, error) {
	return done, session.Reset(ctx)
}

func state(ctx context.Context, session spec.Session, _ spec.Value) (spec.Value, error) {
	state, err := session.State(ctx)
	return result("state", state), err
}

func snapshot(ctx context.Context, session spec.Session, _ spec.Value) (spec.Value, error) {
	state, err := session.Snapshot(ctx)
	return result("state", state), err
}

func restore(ctx context.Context, session spec.Session, params spec.Value) (spec.Value, error) {
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
