//go:build unix

package stdio_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/testing/faultyadapter"
)

const (
	open    = `{"jsonrpc":"2.0","id":1,"method":"session/open","params":{"session":"a","detector":"history","reading":"code"}}`
	opened  = `{"jsonrpc":"2.0","id":1,"result":{}}`
	output  = `{"type":"output","text":"x"}`
	nothing = ""
)

// Each exchange sends lines to a fresh server and compares its answers, line by line. An answer that ends in … is
// compared up to there: the rest is a message for people. The suite's cases of the protocol ask the same server more.
var exchanges = []struct {
	name, why string
	in, out   []string
}{
	{"refusals", "who reads data.kind must find what was wrong, and where", []string{
		strings.Replace(open, `"code"`, `"code","config":{"window":1}`, 1),
		strings.Replace(open, `"code"`, `"code","config":[]`, 1),
		strings.Replace(open, `"code"`, `"text"`, 1),
		strings.Replace(open, `"history"`, `"crow"`, 1),
		strings.Replace(open, `,"reading":"code"`, ``, 1),
		open,
		`{"jsonrpc":"2.0","id":2,"method":"session/observe","params":{"session":"a","events":[` + output + `,{"type":"output"}]}}`,
		`{"jsonrpc":"2.0","id":2,"method":"session/observe","params":{"session":"a"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"session/restore","params":{"session":"a","state":{}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"session/restore","params":{"session":"a"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"session/snapshot","params":{"session":"a"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"function/call","params":{"function":"f","reading":"code","args":{}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"function/call","params":{"function":"history.hash","reading":1,"args":{}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"session/reset"}`,
		`{"jsonrpc":"2.0","id":2,"method":"session/reset","params":["a"]}`,
	}, []string{
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown member; there are repeat_threshold","data":{"kind":"invalid_config","field":"window"}}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"config: want an object, got array","data":{"kind":"invalid_params"}}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"history has no such reading","data":{"kind":"unsupported","feature":"text"}}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no such detector","data":{"kind":"unsupported","feature":"crow"}}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"reading: want a string, got absent","data":{"kind":"invalid_params"}}}`,
		opened,
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"want string, got absent","data":{"kind":"invalid_event","field":"text"}}}`,
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"events: want an array, got absent","data":{"kind":"invalid_params"}}}`,
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"count: want an integer of at least 0, got null","data":{"kind":"invalid_state"}}}`,
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"state: want an object, got absent","data":{"kind":"invalid_params"}}}`,
		`{"jsonrpc":"2.0","id":2,"result":{"state":{"count":0}}}`,
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"\"f\"; known are [history.hash]","data":{"kind":"unknown_function"}}}`,
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"reading: want a string, got number","data":{"kind":"invalid_params"}}}`,
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"session: want a string, got absent","data":{"kind":"invalid_params"}}}`,
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"params: want an object, got array","data":{"kind":"invalid_params"}}}`,
	}},
	{"no requests", "each gets its own code, and the next request is answered as ever", []string{
		`{"jsonrpc":"2.0","id":1,"method":`,
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"shutdown"}`,
		`"text"`,
		`[` + open + `]`,
		`{"jsonrpc":"1.0","id":1,"method":"shutdown"}`,
		`{"id":"x","method":"shutdown"}`,
		`{"jsonrpc":"2.0","id":null,"method":"shutdown"}`,
		`{"jsonrpc":"2.0","id":[1],"method":"shutdown"}`,
		`{"jsonrpc":"2.0","id":1}`,
		`{"jsonrpc":"2.0","method":7}`,
		open,
	}, []string{
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,…`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,…`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"want an object, got string"}}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"want an object, got array"}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"jsonrpc: want \"2.0\", got \"1.0\""}}`,
		`{"jsonrpc":"2.0","id":"x","error":{"code":-32600,"message":"jsonrpc: want \"2.0\", got null"}}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"id: want a string or a number, got null"}}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"id: want a string or a number, got array"}}`,
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"method: want a string, got absent"}}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"method: want a string, got number"}}`,
		opened,
	}},
}

func TestServeAnswersAsTheProtocolDemands(t *testing.T) {
	for _, x := range exchanges {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			in := strings.NewReader(strings.Join(x.in, "\n") + "\n")
			if err := stdio.Serve(context.Background(), faultyadapter.Port(), in, &out); err != nil {
				t.Fatalf("Serve: %v", err)
			}
			compareLines(t, strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n"), x.out)
			if t.Failed() {
				t.Logf("why it matters: %s", x.why)
			}
		})
	}
}

func compareLines(t *testing.T, got, want []string) {
	t.Helper()
	if len(want) == 0 {
		want = []string{nothing}
	}
	if len(got) != len(want) {
		t.Fatalf("got %d lines, want %d:\n%s", len(got), len(want), strings.Join(got, "\n"))
	}
	for i := range want {
		prefix, open := strings.CutSuffix(want[i], "…")
		if got[i] != want[i] && !(open && strings.HasPrefix(got[i], prefix)) {
			t.Errorf("line %d\n got %s\nwant %s", i+1, got[i], want[i])
		}
	}
}
