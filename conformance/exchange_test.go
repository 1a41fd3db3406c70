//go:build unix

package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/testing/golden"
	"github.com/loopstone/loopstone/spec"
)

// describes is what the parrot says of itself.
const describes = `{"protocol":1,"name":"parrot","version":"1","language":"sh",` +
	`"detectors":[{"id":"history","readings":["code","text"],"features":[]}]}`

// parrotPort is the port that describes itself so.
func parrotPort() spec.Description {
	offer := spec.Offer{Detector: spec.History, Readings: []spec.Reading{spec.Code, spec.Text}}
	return spec.Description{Name: "parrot", Version: "1", Language: "sh", Detectors: []spec.Offer{offer}}
}

// parrot is an adapter that greets and answers the fence as it must, and says one of its lines to anything else, and
// its last words at the end. It keeps what it was sent.
const parrot = `
[ -n "$DESCRIBES" ] || DESCRIBES='` + describes + `'
[ -z "$SLOW" ] || sleep "$LIMIT.3"
while IFS= read -r line; do
	printf '%s\n' "$line" >>"$SEEN"
	case $line in
	*'"id":"hello"'*) echo '{"jsonrpc":"2.0","id":"hello","result":'"$DESCRIBES"'}' ;;
	*'"id":"fence-'*) id=${line#*'"id":"'}; echo '{"jsonrpc":"2.0","id":"'"${id%%\"*}"'","error":{}}' ;;
	*) if [ $# -gt 0 ]; then printf '%s' "$1"; shift; fi ;;
	esac
done
printf '%s' "$LAST"
exit "${STATUS:-0}"
`

// longest is how long an adapter may take on a busy machine.
const longest = 20 * time.Second

// exchanged lets an adapter that says these lines take part in exchanges, and returns what is said of each and what the
// adapter was sent.
func exchanged(t *testing.T, body string, says, env []string, limit time.Duration) string {
	t.Helper()
	text := "detector: protocol\ncases:\n"
	for i, exchange := range strings.Split(strings.TrimSpace(body), "\n---\n") {
		text += fmt.Sprintf("  - id: protocol-%d\n    title: T\n    clauses: [PR-1]\n    source: silent\n    why: W\n    exchange:\n      %s\n",
			i+1, strings.ReplaceAll(exchange, "\n", "\n      "))
	}
	suite, err := cases.Parse("protocol/test.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	seen := filepath.Join(t.TempDir(), "seen")
	limits := stdio.Options{StartTimeout: longest, RequestTimeout: limit}
	env = append(env[:len(env):len(env)], fmt.Sprintf("LIMIT=%.0f", limit.Seconds()))
	var wires []*stdio.Wire
	dial := func(ctx context.Context) (*stdio.Wire, error) {
		command := stdio.Command{Path: "sh", Args: append([]string{"-c", `eval "$PARROT"`, "sh"}, says...)}
		command.Env = append([]string{"PARROT=" + parrot, "SEEN=" + seen}, env...)
		wire, err := stdio.OpenWire(context.WithoutCancel(ctx), command, limits)
		wires = append(wires, wire)
		return wire, err
	}
	results, err := CheckAdapter(t.Context(), dial, parrotPort(), suite, limits)
	if err != nil {
		t.Fatal(err)
	}
	for _, wire := range wires {
		if _, ended := wire.Wait(longest); !ended {
			wire.Close()
			t.Errorf("an adapter is left behind")
		}
	}
	var b strings.Builder
	for _, r := range results {
		fmt.Fprintf(&b, "  %s%s %v %s", r.Case, r.Reading, r.Clauses, r.Status)
		if r.Failure != nil {
			b.WriteString(" " + inFull(*r.Failure))
		}
		b.WriteString("\n")
	}
	sent, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	return b.String() + "  sent: " + greeting.ReplaceAllString(strings.TrimSpace(string(sent)), "$1") + "\n"
}

// greeting matches the requests that belong to no exchange.
var greeting = regexp.MustCompile(`\{"jsonrpc":"2.0","id":"(hello|fence)(-[0-9]+)?".*`)

// TestExchange shows what is said of an adapter line by line, and what it is sent.
func TestExchange(t *testing.T) {
	t.Parallel()
	page := filepath.Join("testdata", "exchange.txt")
	said, _ := os.ReadFile(page) // golden.Check says that it is missing
	want, got := string(said), make([]string, len(exchangeTests))
	t.Run("all", func(t *testing.T) {
		for i, test := range exchangeTests {
			t.Run(test.reason, func(t *testing.T) {
				t.Parallel()
				limits := []time.Duration{longest}
				if slices.Contains(test.env, hasty) {
					limits = []time.Duration{time.Second, longest} // a busy machine may not keep the first
				}
				for _, limit := range limits {
					got[i] = test.reason + "\n" + exchanged(t, test.body, test.says, test.env, limit) + "\n"
					if strings.Contains(want, got[i]) {
						break
					}
				}
			})
		}
	})
	golden.Check(t, page, strings.Join(got, ""))
}

func TestExchangeWithAPortOfNothing(t *testing.T) {
	t.Parallel()
	for _, port := range []spec.Description{{}, {Detectors: []spec.Offer{{Detector: spec.History}}}} {
		if _, err := CheckAdapter(t.Context(), nil, port, nil, stdio.Options{}); err == nil {
			t.Errorf("%+v: no error", port)
		}
	}
}

// talker dials a fresh parrot, which answers nothing.
func talker(t *testing.T) stdio.Dial {
	command := stdio.Command{Path: "sh", Args: []string{"-c", parrot}, Env: []string{"SEEN=" + filepath.Join(t.TempDir(), "seen")}}
	return func(ctx context.Context) (*stdio.Wire, error) { return stdio.OpenWire(ctx, command, stdio.Options{}) }
}

// TestExchangeThatCannotBeCarriedOut shows who answers for what is not the adapter's fault: the suite, or nobody.
func TestExchangeThatCannotBeCarriedOut(t *testing.T) {
	t.Parallel()
	dials := 0
	talk := talker(t)
	check := &adapterCheck{
		dial: func(ctx context.Context) (*stdio.Wire, error) { dials++; return talk(ctx) }, startLimit: time.Minute, limit: time.Minute,
		port: parrotPort(), offer: parrotPort().Detectors[0],
	}
	defer check.hangUp()
	wrong := cases.Case{Exchange: []cases.ExchangeStep{{Send: "${pad}", Pad: -1}}}
	for range 2 {
		if r := check.check(t.Context(), wrong); r.Status != Faulty || !strings.Contains(r.Reason, "a check panicked") {
			t.Errorf("a step that cannot be carried out: %s, %s", r.Status, r.Reason)
		}
	}
	if dials != 2 {
		t.Errorf("%d processes, want a fresh one after each panic", dials)
	}
	ended, end := context.WithCancelCause(t.Context())
	end(errors.New("enough"))
	if r := check.check(ended, cases.Case{}); r.Status != Undecided || r.Reason != "not run: the run was ended: enough" {
		t.Errorf("a run that was ended: %s, %s", r.Status, r.Reason)
	}
	check.hangUp()
	check.dial = func(context.Context) (*stdio.Wire, error) { return nil, errors.New("no such program") }
	if r := check.check(t.Context(), cases.Case{}); r.Status != Broken || inFull(*r.Failure) != "0 of 0, start the adapter: no such program" {
		t.Errorf("an adapter that does not start: %s, %+v", r.Status, r.Failure)
	}
}

// TestExchangeNamesAClauseOnce shows that a case about the clause that is broken does not name it twice.
func TestExchangeNamesAClauseOnce(t *testing.T) {
	t.Parallel()
	command := stdio.Command{Path: "sh", Args: []string{"-c", "echo no; cat"}}
	check := &adapterCheck{startLimit: time.Minute, limit: time.Minute, dial: func(ctx context.Context) (*stdio.Wire, error) {
		return stdio.OpenWire(ctx, command, stdio.Options{})
	}}
	defer check.hangUp()
	r := check.check(t.Context(), cases.Case{Clauses: []string{"PR-1", "PR-7"}})
	if got := fmt.Sprint(r.Clauses); r.Status != Broken || got != "[PR-1 PR-7]" {
		t.Errorf("%s, %s", r.Status, got)
	}
}

// TestExchangePauses shows that the writing rests between the pieces of a line, whatever order they are given in.
func TestExchangePauses(t *testing.T) {
	t.Parallel()
	wire, err := talker(t)(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer wire.Close()
	check := &adapterCheck{wire: wire, offer: spec.Offer{Detector: spec.History, Readings: []spec.Reading{spec.Code}}}
	for _, test := range []struct {
		split  []int
		pauses int
	}{{[]int{1}, 1}, {[]int{1, 2, 3, 4, 5, 6, 7, 8}, 8}, {[]int{4, 2}, 1}} {
		start := time.Now()
		if problem := check.send(cases.ExchangeStep{Send: "0123456789", Split: test.split}); problem != "" {
			t.Errorf("%v: %s", test.split, problem)
		}
		if took := time.Since(start); took < time.Duration(test.pauses)*pause {
			t.Errorf("%v: took %s, want %d pauses of %s", test.split, took, test.pauses, pause)
		}
	}
}

const (
	hasty     = "HASTY=1" // the exchange waits in vain
	sendOne   = "- send: {id: 1, method: session/close, params: {session: s}}\n"
	openOne   = "- send: {id: 0, method: session/open, params: {session: s}}\n"
	openOther = "- send: {id: 0, method: session/open, params: {session: s, config: {}}}\n"
	opened    = `{"jsonrpc":"2.0","id":0,"result":{}}` + "\n"
	refused   = `{"jsonrpc":"2.0","id":0,"error":{"code":-32602}}` + "\n"
	yes       = `{"jsonrpc":"2.0","id":1,"result":{"a":1}}` + "\n"

	greetItself   = "- send: {id: 1, method: initialize, params: {protocol: 1}}\n- receive: {id: 1}"
	describesLess = `{"protocol":1,"name":"parrot","version":"1","language":"sh","detectors":[]}`
)

// exchangeTests are exchanges, and what an adapter says to each line; testdata/exchange.txt has what comes of them.
var exchangeTests = []struct {
	reason, body string
	says, env    []string
}{
	{"an answer as it must be", sendOne + "- receive: {id: 1, result: {a: 1}}", []string{yes}, nil},
	{"another answer", sendOne + "- receive: {id: 1, result: {a: 2}}", []string{yes}, nil},
	{"what is no JSON", sendOne + "- receive: {id: 1}", []string{"no\n"}, nil},
	{"what is no JSON-RPC", sendOne + "- receive: {id: 1}", []string{`{"id":1,"result":{}}` + "\n"}, nil},
	{"neither result nor error", sendOne + "- receive: {id: 1}", []string{`{"jsonrpc":"2.0","id":1}` + "\n"}, nil},
	{"result and error", sendOne + "- receive: {id: 1}", []string{`{"jsonrpc":"2.0","id":1,"result":{},"error":{}}` + "\n"}, nil},
	{"a verdict that is none", sendOne + "- receive: {id: 1}", []string{`{"jsonrpc":"2.0","id":1,"result":{"verdicts":[{"loop":1}]}}` + "\n"}, nil},
	{"a verdict", sendOne + "- receive: {id: 1}", []string{`{"jsonrpc":"2.0","id":1,"result":{"verdicts":[{"loop":false}]}}` + "\n"}, nil},
	{"no answer", sendOne + "- receive: {id: 1}", nil, []string{hasty}},
	{"a line that answers no request", sendOne, []string{yes}, nil},
	{"a failure, and a fresh process for the next exchange", sendOne + "- receive: {id: 2}\n---\n" + sendOne + "- receive: {id: 1, result: {a: 1}}", []string{yes}, nil},
	{"one process for two exchanges", sendOne + "- receive: {id: 1}\n---\n" + sendOne + "- receive: {id: 1}", []string{yes, yes}, nil},
	{"an exit", "- close: true\n- exit: 0", nil, nil},
	{"an exit, and a fresh process for the next exchange", "- close: true\n- exit: 0\n---\n" + sendOne + "- receive: {id: 1}", []string{yes}, nil},
	{"an exit with another status", "- close: true\n- exit: 0", nil, []string{"STATUS=3"}},
	{"an exit that does not come", "- exit: 0", nil, []string{hasty}},
	{"a line before the exit", "- close: true\n- exit: 0", nil, []string{"LAST=" + yes}},
	{
		"placeholders and pieces", `- raw: '{"jsonrpc":"2.0","id":1,"d":"${detector}","r":"${reading}","p":"${pad}"}'` + "\n  pad: 3\n  split: [5, 9]\n- receive: {id: 1}",
		[]string{yes},
		nil,
	},
	{
		"a line several times", "- send: {id: \"n ${n}\", method: session/close, params: {session: s}}\n  times: 3\n- receive: {id: \"n ${n}\"}\n  times: 3",
		[]string{`{"jsonrpc":"2.0","id":"n 1","result":{}}` + "\n", `{"jsonrpc":"2.0","id":"n 2","result":{}}` + "\n", `{"jsonrpc":"2.0","id":"n 4","result":{}}` + "\n"},
		nil,
	},
	{
		"a loop of the detector", `- send: {id: 1, method: session/open, params: {config: "${config}", before: "${before}", last: "${last}"}}` + "\n- receive: {id: 1}",
		[]string{
			`{"jsonrpc":"2.0","id":0,"result":{}}` + "\n",
			`{"jsonrpc":"2.0","id":1,"result":{"verdicts":[{"loop":false}]}}` + "\n",
			`{"jsonrpc":"2.0","id":2,"result":{}}` + "\n",
			`{"jsonrpc":"2.0","id":3,"result":{"verdicts":[{"loop":false},{"loop":false}]}}` + "\n",
			`{"jsonrpc":"2.0","id":4,"result":{"verdicts":[{"loop":true}]}}` + "\n",
			`{"jsonrpc":"2.0","id":5,"result":{}}` + "\n",
			`{"jsonrpc":"2.0","id":6,"result":{}}` + "\n",
			yes,
		},
		nil,
	},
	{"pieces beyond the end", "- raw: '[1]'\n  split: [2, 400]\n- receive: {id: 1}", []string{yes}, nil},
	{"an exchange that greets itself", greetItself, []string{`{"jsonrpc":"2.0","id":1,"result":` + describes + "}\n"}, nil},
	{
		"an exchange that greets a process with fewer detectors: told once", greetItself + "\n---\n" + greetItself,
		[]string{`{"jsonrpc":"2.0","id":1,"result":` + describesLess + "}\n"},
		nil,
	},
	{
		"a greeting of a process with fewer detectors: told once", sendOne + "- receive: {id: 1}\n---\n" + sendOne + "- receive: {id: 1}",
		[]string{yes},
		[]string{"DESCRIBES=" + describesLess},
	},
	{"JSON-RPC of another version", sendOne + "- receive: {id: 1}", []string{`{"jsonrpc":"1.0","id":1,"result":{}}` + "\n"}, nil},
	{"an exit with the status that is wanted", "- close: true\n- exit: 3", nil, []string{"STATUS=3"}},
	{"the end of the input, and more", "- close: true\n" + sendOne + "- receive: {id: 1}", nil, nil},
	{"the end of the input in the middle", "- close: true", nil, nil},
	{"a second failure of another kind", sendOne + "- receive: {id: 1}\n---\n- exit: 0", []string{"no\n"}, []string{hasty}},
	{"a close that closes nothing", openOne + "- receive: {id: 0}\n" + sendOne + "- receive: {id: 1}\n" + openOne + "- receive: {id: 0, result: {}}", []string{opened, yes, refused}, nil},
	{"another configuration is refused", openOne + "- receive: {id: 0}\n" + sendOne + "- receive: {id: 1}\n" + openOther + "- receive: {id: 0, result: {}}", []string{opened, yes, refused}, nil},
	{"slow starts", sendOne + "- receive: {id: 2}\n---\n" + sendOne + "- receive: {id: 1}", []string{yes}, []string{hasty, "SLOW=1"}},
}

// TestAnAdapterThatIgnoresTheEndIsAskedOnce: whoever outlives the end of its input once is killed from then on.
func TestAnAdapterThatIgnoresTheEndIsAskedOnce(t *testing.T) {
	t.Parallel()
	a := &adapterCheck{limit: time.Minute}
	for _, want := range []bool{false, true} {
		if a.stubborn != want {
			t.Errorf("the adapter is stubborn: %t, want %t", a.stubborn, want)
		}
		wire, err := stdio.OpenWire(t.Context(), stdio.Command{Path: "sleep", Args: []string{"600"}},
			stdio.Options{StopTimeout: 50 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		a.wire = wire
		a.hangUp()
	}
	if a.limit != time.Minute {
		t.Errorf("an exit may take %s, want a minute still: it is another test", a.limit)
	}
}

// TestAnAdapterThatLingersIsWaitedForOnce: once a process did not exit in time, the next ones get a part of the limit.
func TestAnAdapterThatLingersIsWaitedForOnce(t *testing.T) {
	t.Parallel()
	const limit = 200 * time.Millisecond
	a := &adapterCheck{limit: limit}
	for range 3 {
		wire, err := stdio.OpenWire(t.Context(), stdio.Command{Path: "sleep", Args: []string{"600"}}, stdio.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a.wire = wire
		if _, ended := a.ended(); ended {
			t.Error("it has ended, want it to live on")
		}
		a.hangUp()
		if want := limit / stdio.Hurry; a.limit != want {
			t.Errorf("the next process gets %s, want %s", a.limit, want)
		}
	}
}

// TestAnExitIsWaitedForOnce: that a process does not exit shows while its output is waited for, so that the wait for its
// exit is short then. Later processes get a part of the limit for both.
func TestAnExitIsWaitedForOnce(t *testing.T) {
	t.Parallel()
	const limit = 20 * time.Second // twice that is far away on a busy machine, too
	a := &adapterCheck{limit: limit, lineLimit: limit, startLimit: limit}
	start := time.Now()
	for range 3 {
		wire, err := stdio.OpenWire(t.Context(), stdio.Command{Path: "sleep", Args: []string{"600"}}, stdio.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a.wire, a.heard = wire, true
		if problem := a.awaitExit(0); !strings.Contains(problem, "did not exit within") {
			t.Errorf("got %q", problem)
		}
	}
	if waited := time.Since(start); waited >= 2*limit {
		t.Errorf("three processes are waited for %s, want little more than the limit, %s", waited, limit)
	}
}
