package stdio

import (
	"errors"
	"strings"
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

// By its grammar JSON may escape half of a surrogate pair (RFC 8259, section 8.2); what an adapter means by it is judged.
func TestAnEscapedHalfOfASurrogatePairIsReadAsTheReplacementCharacter(t *testing.T) {
	for _, x := range []struct{ why, text, want string }{
		{"the first half", `\ud83d`, "\uFFFD"},
		{"the second half", `a\uDE00b`, "a\uFFFDb"},
		{"two first halves, the second with its other half", `\ud83d\ud83d\ude00`, "\uFFFD😀"},
		{"a pair beside a half", `\ud83d\ude00\ud83d`, "😀\uFFFD"},
		{"an escaped backslash before what looks like a half", `\\ud83d\ud83d`, `\ud83d` + "\uFFFD"},
		{"other escapes beside it", `\n\u00e9\ud83d\"`, "\né\uFFFD\""},
	} {
		a, err := parseAnswer([]byte(`{"jsonrpc":"2.0","id":7,"result":"` + x.text + `"}`))
		if got, _ := a.result.Str(); err != nil || got != x.want {
			t.Errorf("%s: got %q, %v, want %q", x.why, got, err, x.want)
		}
	}
	for _, line := range []string{`{"jsonrpc":"2.0","id":7,"result":"\ud83d`, `{"jsonrpc":"2.0","id":7,"result":\ud83d}`} {
		if _, err := parseAnswer([]byte(line)); err == nil {
			t.Errorf("%s is taken for JSON", line)
		}
	}
}

// A later version of a port may say more than this protocol knows (PR-4).
func TestUnknownMembersOfAnAnswerAreIgnored(t *testing.T) {
	const line = `{"jsonrpc":"2.0","id":7,"took":1,"result":{"took":1,"verdicts":[{"loop":false,"note":{"a":[1]}}]}}`
	const want = `{"verdicts":[{"loop":false}]}`
	if a, err := parseAnswer([]byte(line)); err != nil || a.result.String() != want || checkVerdicts(1)(a.result) != nil {
		t.Errorf("got %s, %v, want %s", a.result, err, want)
	}
}

func TestDescriptionsThatCannotBe(t *testing.T) {
	offer := func(rest string) string { return `[{"id":"crow","features":[]` + rest + `}]` }
	whole := `,"readings":["text"]`
	for _, x := range []struct{ why, name, detectors, want string }{
		{"no name", "", offer(whole), "the description's name must not be empty"},
		{"a name that no line holds", strings.Repeat("n", 1001), offer(whole), "the description's name must have at most 1000 bytes, got 1001"},
		{"no reading", "n", offer(`,"readings":[]`), "detectors/0/readings must not be empty"},
		{"a reading twice", "n", offer(`,"readings":["text","text"]`), `detectors/0/readings/1: "text" is named twice`},
		{"no rule", "n", offer(whole + `,"rules":[]`), "detectors/0/rules must not be empty"},
		{"a rule twice", "n", offer(whole + `,"rules":["exact","x","exact"]`), `detectors/0/rules/2: "exact" is named twice`},
	} {
		v := spec.MustParse(`{"protocol":1,"version":"","language":"","detectors":`+x.detectors+`}`).With("name", spec.StringValue(x.name))
		if _, err := parseDescription(v); err == nil || err.Error() != x.want {
			t.Errorf("%s: got %v, want %s", x.why, err, x.want)
		}
	}
}

// An adapter may take a line for no JSON that is JSON. It is told so, and not how ids are answered.
func TestAnAnswerThatARequestIsNoJSON(t *testing.T) {
	const says = "the error -32700 says that the line is not JSON, but it is"
	nested := spec.MustParse(strings.Repeat("[", 30) + strings.Repeat("]", 30))
	for _, x := range []struct {
		why, line    string
		call         *call
		clause, want string
	}{
		{"a usual line", `{"id":null,"error":{"code":-32700}}`, &call{}, "PR-20", says},
		{
			"a deep line", `{"id":null,"error":{"code":-32700}}`, &call{values: []spec.Member{text("a", ""), param("b", nested)}}, "PR-10",
			says + ", nested 32 deep; a line may be nested 100 deep",
		},
		{
			"a long line", `{"id":null,"error":{"code":-32700}}`, &call{size: 70_000}, "PR-10",
			says + ", with 70000 bytes of params; a line may have any length",
		},
		{"another error", `{"id":null,"error":{"code":-32600}}`, &call{}, "", ""},
		{"an error with the id", `{"id":1001,"error":{"code":-32700}}`, &call{}, "", ""},
		{"no request", `{"id":null,"error":{"code":-32700}}`, nil, "", ""},
	} {
		v := spec.MustParse(x.line)
		err := answer{id: v.Get("id"), fault: v.Get("error")}.saysNoJSON(x.call)
		broken, _ := errors.AsType[*breach](err)
		if broken == nil {
			broken = &breach{}
		}
		if broken.clause != x.clause || broken.problem != x.want {
			t.Errorf("%s: got %s, %s", x.why, broken.clause, broken.problem)
		}
	}
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
