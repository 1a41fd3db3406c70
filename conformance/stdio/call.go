package stdio

import (
	"strconv"
	"time"

	"github.com/loopstone/loopstone/spec"
)

// call is one request and what is needed to judge its answer. It belongs to its caller until it is sent, then to the
// link until it is settled.
type call struct {
	method  string
	session string                 // for messages; empty where the request is for none
	body    []byte                 // the request's line from the method on
	check   func(spec.Value) error // says what is wrong with a result
	limit   time.Duration          // for its answer; 0: none

	id       int
	size     int          // of the body, in bytes
	sent     time.Time    // when it was handed to the writer
	answered chan outcome // receives once; holds one, so that the reader never waits for a caller
	settled  bool         // the outcome was received: the call may be used again
}

// outcome is what a call comes to.
type outcome struct {
	result spec.Value
	err    error
}

// appendRequest appends the whole line.
func appendRequest(b []byte, c *call) []byte {
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = strconv.AppendInt(b, int64(c.id), 10)
	b = append(b, ',')
	return append(b, c.body...)
}

// body is the part of a request that does not depend on its id, while it is being written.
type body []byte

// newBody begins a request: its method, and the first of its params.
func newBody(b []byte, method, param, value string) body {
	b = append(b, `"method":"`...)
	b = append(b, method...)
	b = append(b, `","params":{"`...)
	b = append(b, param...)
	b = append(b, `":`...)
	return spec.StringValue(value).AppendJSON(b)
}

// name begins a further param.
func (b body) name(param string) body {
	b = append(b, `,"`...)
	b = append(b, param...)
	return append(b, `":`...)
}

// text adds a param.
func (b body) text(param, value string) body {
	return spec.StringValue(value).AppendJSON(b.name(param))
}

// value adds a param, unless it is absent.
func (b body) value(param string, v spec.Value) body {
	if v.IsAbsent() {
		return b
	}
	return v.AppendJSON(b.name(param))
}

// array adds a param.
func (b body) array(param string, items []spec.Value) body {
	b = append(b.name(param), '[')
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = item.AppendJSON(b)
	}
	return append(b, ']')
}

// end ends the params and the line.
func (b body) end() []byte { return append(b, "}}\n"...) }
