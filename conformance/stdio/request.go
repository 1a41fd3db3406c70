package stdio

import (
	"fmt"

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
	members := []spec.Member{{Name: "code", Value: spec.IntValue(e.code)}, {Name: "message", Value: spec.StringValue(e.message)}}
	if !e.data.IsAbsent() {
		members = append(members, spec.Member{Name: "data", Value: e.data})
	}
	return spec.ObjectValue(members...)
}

// refusal returns a port's fault as the protocol writes it.
func refusal(f *spec.Fault) *rpcError {
	data := []spec.Member{{Name: "kind", Value: spec.StringValue(string(f.Kind))}}
	if f.Field != "" {
		data = append(data, spec.Member{Name: "field", Value: spec.StringValue(f.Field)})
	}
	if f.Feature != "" {
		data = append(data, spec.Member{Name: "feature", Value: spec.StringValue(f.Feature)})
	}
	message := f.Message
	if message == "" {
		message = string(f.Kind)
	}
	return &rpcError{code: badParams, message: message, data: spec.ObjectValue(data...)}
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
	if version, _ := message.Get("jsonrpc").Str(); version != "2.0" {
		return r, &rpcError{code: noRequest, message: `jsonrpc: want "2.0", got ` + message.Get("jsonrpc").String()}
	}
	method, ok := message.Get("method").Str()
	if !ok {
		return r, &rpcError{code: noRequest, message: "method: want a string, got " + message.Get("method").Kind().String()}
	}
	r.method = method
	return r, nil
}
