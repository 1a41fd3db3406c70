package stdio

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/loopstone/loopstone/spec"
)

// answer is one message of the adapter: exactly one of result and fault is there.
type answer struct {
	id, result, fault spec.Value
}

// breach is an error of an adapter that breaks a clause of the protocol.
type breach struct{ clause, problem string }

// Error says what the adapter did.
func (b *breach) Error() string { return b.problem }

func breaks(clause, format string, args ...any) error {
	return &breach{clause, fmt.Sprintf(format, args...)}
}

// parseAnswer checks a line for being an answer to any request at all.
func parseAnswer(line []byte) (answer, error) {
	if isBlank(line) {
		return answer{}, breaks("PR-7", "an empty line")
	}
	message, err := spec.ParseResponse(line)
	if err != nil {
		// By the grammar of JSON an escape of half a surrogate pair is well-formed (RFC 8259, section 8.2).
		if fixed, halves := withoutHalves(line); halves {
			message, err = spec.ParseResponse(fixed)
		}
	}
	if err != nil {
		return answer{}, breaks("PR-7", "a line that is not JSON: %v; standard output is for answers alone,"+
			" write logs to standard error", errors.Unwrap(err))
	}
	if message.Kind() != spec.Object {
		return answer{}, breaks("PR-7", "an answer must be an object, got %s", message.Kind())
	}
	if message.Get("jsonrpc").Text() != "2.0" {
		return answer{}, breaks("PR-2", `an answer's jsonrpc must be "2.0"`)
	}
	a := answer{message.Get("id"), message.Get("result"), message.Get("error")}
	switch {
	case a.result.IsAbsent() && a.fault.IsAbsent():
		return answer{}, breaks("PR-2", "an answer must have a result or an error")
	case !a.result.IsAbsent() && !a.fault.IsAbsent():
		return answer{}, breaks("PR-2", "an answer must not have a result and an error")
	}
	return a, nil
}

// escape finds what JSON escapes: a surrogate pair, a UTF-16 code unit, or one character.
var escape = regexp.MustCompile(`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.`)

// withoutHalves returns the line with U+FFFD in place of each escaped half of a surrogate pair, and whether there was
// one.
func withoutHalves(line []byte) (fixed []byte, halves bool) {
	fixed = escape.ReplaceAllFunc(line, func(e []byte) []byte {
		isHalf := len(e) == len(`\ud800`) && (e[2]|0x20) == 'd' && e[3] >= '8'
		if !isHalf {
			return e
		}
		halves = true
		return []byte(`\ufffd`)
	})
	return fixed, halves
}

// firstID is the id of a client's first request, from which its ids count up, so that an id tells whose it is. An
// adapter that numbers its answers itself, from 0 or 1, is told so at its first answer.
const firstID = 1001

// checkID says what is wrong with an answer's id; the oldest request is nil where none is waiting.
func checkID(id spec.Value, oldest *call, last int) error {
	next := last + 1 // the id that is answered next
	if oldest != nil {
		next = oldest.id
	}
	n, isInt := id.Int()
	isPast := isInt && firstID <= n && n <= last
	switch {
	case oldest != nil && isInt && n == next:
		return nil
	case oldest != nil && id.Equal(spec.IntValue(next)):
		return breaks("PR-2", "an answer's id must be the request's as it was sent, got %s", id)
	case id.Kind() != spec.Number:
		return breaks("PR-2", "an answer's id must be the request's, a number, got %s; copy it as it is", id.Kind())
	case isPast && n < next:
		return breaks("PR-1", "a second answer to the same request")
	case isPast:
		return breaks("PR-3", "an answer before that to an earlier request")
	default:
		return breaks("PR-2", "an answer with an id that no request has; copy the id from the request")
	}
}

// deepLine and longLine are more than what a request of most cases has.
const (
	deepLine = 16      // levels
	longLine = 1 << 16 // bytes
)

// saysNoJSON says what is wrong with an answer that a request is no JSON (PR-20); nil where it is another answer. A
// reader of JSON that gives up at some depth or length gives such an answer.
func (a answer) saysNoJSON(c *call) error {
	if code, _ := a.fault.Get("code").Int(); c == nil || code != notJSON || a.id.Kind() != spec.Null {
		return nil
	}
	const says = "the error -32700 says that the line is not JSON, but it is"
	depth := 2 // the message and its params
	for _, m := range c.values {
		depth = max(depth, 2+depthOf(m.Value))
	}
	switch {
	case depth > deepLine:
		return breaks("PR-10", "%s, nested %d deep; a line may be nested 100 deep", says, depth)
	case c.size > longLine:
		return breaks("PR-10", "%s, with %d bytes of params; a line may have any length", says, c.size)
	default:
		return breaks("PR-20", says)
	}
}

// depthOf returns how many levels of objects and arrays a value has.
func depthOf(v spec.Value) int {
	if v.Kind() != spec.Object && v.Kind() != spec.Array {
		return 0
	}
	deepest := 0
	for _, item := range v.Items() {
		deepest = max(deepest, depthOf(item))
	}
	for _, m := range v.Members() {
		deepest = max(deepest, depthOf(m.Value))
	}
	return 1 + deepest
}

// outcome decides what the caller gets. The second error says what is wrong with the answer itself.
func (a answer) outcome(c *call) (outcome, error) {
	if a.fault.IsAbsent() {
		return outcome{result: a.result}, c.check(a.result)
	}
	code, ok := a.fault.Get("code").Int()
	if !ok {
		return outcome{}, breaks("PR-23", "an error must be an object with an integer code")
	}
	message, ok := a.fault.Get("message").Str()
	if !ok {
		return outcome{}, breaks("PR-23", "an error must have a message")
	}
	return outcome{err: refusalError(c.method, code, message, a.fault.Get("data"))}, nil
}

func refusalError(method string, code int, message string, data spec.Value) error {
	text := func(name string) string { return data.Get(name).Text() }
	kind := spec.FaultKind(text("kind"))
	if code != badParams || !slices.Contains(spec.FaultKinds, kind) {
		return &CodeError{Method: method, Code: code, Kind: kind, Message: message}
	}
	return &spec.Fault{Kind: kind, Field: text("field"), Feature: text("feature"), Message: message}
}

// checkObject accepts the result of methods that have nothing to tell: members that it may have are ignored.
func checkObject(result spec.Value) error {
	if result.Kind() != spec.Object {
		return fmt.Errorf("the result must be an object, got %s", result.Kind())
	}
	return nil
}

// checkVerdicts accepts n verdicts.
func checkVerdicts(n int) func(spec.Value) error {
	return func(result spec.Value) error {
		verdicts := result.Get("verdicts")
		if verdicts.Kind() != spec.Array {
			return breaks("PR-14", "the result's verdicts must be an array, got %s", verdicts.Kind())
		}
		if got := len(verdicts.Items()); got != n {
			return breaks("PR-14", "the result must have one verdict per event: want %d, got %d", n, got)
		}
		for _, v := range verdicts.Items() {
			if err := spec.CheckVerdict(v); err != nil {
				return breaks("PR-32", "%v", err)
			}
		}
		return nil
	}
}

func checkState(result spec.Value) error {
	if k := result.Get("state").Kind(); k != spec.Object {
		return fmt.Errorf("the result's state must be an object, got %s", k)
	}
	return nil
}

func checkValue(result spec.Value) error {
	if result.Get("value").IsAbsent() {
		return errors.New("the result must have a value")
	}
	return nil
}

func checkDescription(result spec.Value) error {
	_, err := parseDescription(result)
	switch _, isName := errors.AsType[misnamed](err); {
	case err == nil:
		return nil
	case isName:
		return breaks("PR-45", "%v", err)
	default:
		return breaks("PR-11", "%v", err)
	}
}

// call is one request and what is needed to judge its answer. It belongs to its caller until it is sent, then to the
// link.
type call struct {
	method  string
	session string                 // for messages; empty where the request is for none
	params  []byte                 // as JSON; nil without any, and when they are sent
	values  []spec.Member          // the same, for messages
	check   func(spec.Value) error // says what is wrong with a result
	limit   time.Duration          // for its answer; 0: none

	id       int
	size     int          // of the params, in bytes
	sent     time.Time    // when it was handed to the writer
	answered chan outcome // receives once; holds one, so that the reader never waits for a caller
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
	b = append(b, `,"method":"`...)
	b = append(b, c.method...)
	b = append(b, '"')
	if c.params != nil {
		b = append(append(b, `,"params":`...), c.params...)
	}
	return append(b, "}\n"...)
}

// paramsOf returns the params of a request as JSON, without those that are absent.
func paramsOf(params []spec.Member) []byte {
	params = slices.DeleteFunc(params, func(m spec.Member) bool { return m.Value.IsAbsent() })
	room := *rooms.Get().(*[]byte)
	return spec.ObjectValue(params...).AppendJSON(room[:0])
}

// rooms holds memory for params, which may have a megabyte, to be used again when they are sent.
var rooms = sync.Pool{New: func() any { return new([]byte) }}

// release puts the memory of the params, which are sent, into the pool.
func (c *call) release() {
	if room := trimmed(c.params); room != nil {
		rooms.Put(&room)
	}
	c.params = nil
}

func param(name string, value spec.Value) spec.Member { return spec.Member{Name: name, Value: value} }

func text(name, value string) spec.Member { return param(name, spec.StringValue(value)) }
