package stdio

import (
	"testing"

	"github.com/loopstone/loopstone/spec"
)

// FuzzAnswer judges anything at all as the answer to a request: it must come to something, and never to both a result
// and an error.
func FuzzAnswer(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":7,"result":{"verdicts":[{"loop":true,"evidence":[1]}]}}`,
		`{"jsonrpc":"2.0","id":7,"result":{"verdicts":[{"loop":true,"evidence":[1.5]}]}}`,
		`{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"","data":{"kind":"invalid_event","field":null}}}`,
		`{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"","data":[]}}`,
		`{"jsonrpc":"2.0","id":7,"error":{"code":1e9,"message":""}}`,
		`{"jsonrpc":"2.0","id":null,"error":null}`,
		`{"jsonrpc":"2.0","id":6,"result":{"state":{},"value":null}}`,
		`[]`, ``, `{`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		a, err := parseAnswer(line)
		if err != nil {
			return
		}
		for _, check := range []func(spec.Value) error{checkVerdicts(1), checkState, checkValue, checkObject, checkDescription} {
			c := &call{id: 7, method: "m", check: check}
			if checkID(a.id, c, 9) != nil {
				return
			}
			if o, err := a.outcome(c); err == nil && (o.err == nil) == o.result.IsAbsent() {
				t.Errorf("%s came to %s and %v", line, o.result, o.err)
			}
		}
	})
}

// An error answer is a refusal only where the protocol has it; everything else is named for what it is.
func TestErrorsOfTheProtocolAreToldFromOthers(t *testing.T) {
	for _, x := range []struct{ why, fault, want string }{
		{"a refusal", `{"code":-32602,"message":"no","data":{"kind":"invalid_config","field":"window"}}`, "invalid_config window: no"},
		{"a refusal with a feature", `{"code":-32602,"message":"","data":{"kind":"unsupported","feature":"state"}}`, "unsupported state"},
		{"members that it need not have", `{"code":-32602,"message":"no","data":{"kind":"invalid_state","field":null}}`, "invalid_state: no"},
		{"an unknown kind", `{"code":-32602,"message":"no","data":{"kind":"bad"}}`, `m: the protocol has no error of kind "bad": no`},
		{"no kind", `{"code":-32602,"message":"no"}`, `m: the protocol has no error of kind "": no`},
		{"a code for requests that are wrong, not this one", `{"code":-32601,"message":"no"}`, `m: the protocol has no error -32601 for it: no`},
		{"a code of one's own", `{"code":7,"message":""}`, `m: the protocol has no error 7 for it`},
	} {
		o, err := answer{fault: spec.MustParse(x.fault)}.outcome(&call{method: "m"})
		if err != nil || o.err == nil || o.err.Error() != x.want {
			t.Errorf("%s: got %v, %v, want %s", x.why, o.err, err, x.want)
		}
	}
}
