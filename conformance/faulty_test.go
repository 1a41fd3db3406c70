//go:build unix

package conformance_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/testing/faultyadapter"
)

// patient are limits that a healthy adapter keeps even on a machine that is busy with other tests. The hasty ones are
// tried first where an answer or an exit will never come; an adapter that they do not do justice gets the patient ones.
var (
	patient = stdio.Options{
		StartTimeout: 30 * time.Second, RequestTimeout: 20 * time.Second, StopTimeout: 10 * time.Second,
		AnswerLimit: 64 << 10, StderrLimit: 4 << 10,
	}
	hasty = stdio.Options{
		StartTimeout: 30 * time.Second, RequestTimeout: time.Second, StopTimeout: 200 * time.Millisecond,
		AnswerLimit: 64 << 10, StderrLimit: 4 << 10,
	}
)

// limitsOf returns the limits that a faulty adapter is tried with, one after the other until the runner says of it what
// it must.
func limitsOf(adapter string) []stdio.Options {
	switch adapter {
	case "hang", "freeze", "late", "half-line", "swap", "stubborn", "linger", "close-output", "close-input",
		"flood-stdout", "flood-answers", "stop", "drip-on":
		return []stdio.Options{hasty, patient}
	case "deaf", "half-hello", "unflushed": // they will never start
		return []stdio.Options{{StartTimeout: time.Second}}
	case "huge-count", "huge-kind", "huge-evidence":
		limits := patient
		limits.AnswerLimit = 0
		return []stdio.Options{limits}
	default:
		return []stdio.Options{patient}
	}
}

// wait is how long a faulty adapter may keep the runner busy with the few cases of these tests, on a busy machine: it
// is less than the adapter waits where it waits for ever.
const wait = 4 * time.Minute

// voice is what is said of an adapter: of itself, by the exchanges of the protocol, and of its port, by cases; and the
// clause that its port's first result that is no pass stands under. One that cannot even be started has the outcome of
// that alone.
type voice struct {
	exchanges, port, start conformance.Outcome
	clause                 string
}

const (
	conformant    = conformance.Conformant
	notConformant = conformance.NotConformant
	notDecided    = conformance.NotDecided
	adapterFault  = conformance.AdapterFault
)

var (
	fine     = voice{}
	badPort  = voice{exchanges: adapterFault, port: notConformant, clause: "HI-13"} // it dies on events, and so on exchanges
	badValue = voice{port: notConformant, clause: "HI-13"}
	silent   = voice{exchanges: notDecided, port: notDecided, clause: "HI-13"}
	badExit  = voice{exchanges: adapterFault} // how it ends is no case's business
)

// badAdapter is the voice of an adapter that breaks a clause of the protocol.
func badAdapter(clause string) voice {
	return voice{exchanges: adapterFault, port: adapterFault, clause: clause}
}

// anyClause stands for the clause of an adapter that breaks one or another, as the requests come.
const anyClause = "any"

// voices says of every faulty adapter to whom its fault is attributed.
var voices = map[string]voice{
	"healthy": fine, "crlf": fine, "slow": fine, "slow-start": fine, "flood-stderr": fine, "nursery": fine,
	"drip": fine, "chatty-stderr": fine, "hermit": fine,

	"exit": badPort, "exit-after": badPort, "half-exit": badPort, "crash": badPort, "orphan": badPort, "runaway": badPort,
	"traceback": badPort,

	// What no case makes happen alone may be the machine's fault.
	"crowded": {port: notDecided}, "weary": {exchanges: adapterFault, port: notDecided, clause: anyClause},

	"huge-count": badValue, "huge-kind": badValue, "huge-evidence": badValue,

	"hang":   {exchanges: adapterFault, port: notDecided, clause: "HI-13"}, // at the end of its input it leaves, without an answer
	"freeze": silent, "late": silent, "half-line": silent, "stop": silent, "drip-on": silent,
	"close-input": silent,

	"odd-code": badAdapter("PR-23"), "garbage": badAdapter("PR-7"), "long-garbage": badAdapter("PR-7"),
	"empty-line": badAdapter("PR-7"), "array": badAdapter("PR-7"), "no-newline": badAdapter("PR-1"),
	"duplicate": badAdapter("PR-1"), "flood-stdout": badAdapter("PR-7"), "flood-answers": badAdapter("PR-1"),
	"close-output": badAdapter("PR-1"), "swap": badAdapter("PR-3"), "wrong-id": badAdapter("PR-2"),
	"old-id": badAdapter("PR-1"), "string-id": badAdapter("PR-2"), "float-id": badAdapter("PR-2"), "null-id": badAdapter("PR-2"),
	"old-version": badAdapter("PR-2"), "no-result": badAdapter("PR-2"), "both": badAdapter("PR-2"),
	"null-result": badAdapter("PR-14"), "bad-error": badAdapter("PR-23"), "wrong-type": badAdapter("PR-32"),
	"none": badAdapter("PR-32"), "few-verdicts": badAdapter("PR-14"), "many-verdicts": badAdapter("PR-14"),
	"exit-0": badAdapter("PR-1"), "half-exit-0": badAdapter("PR-1"), "exit-hello": badAdapter("PR-1"),
	"binary": badAdapter("PR-7"), "two-lines": badAdapter("PR-7"), "twice-member": badAdapter("PR-7"),
	"deep": badAdapter("PR-7"), "notify": badAdapter("PR-2"),
	"eager": badAdapter(anyClause), "changeling": badAdapter("PR-11"),

	"deaf": {start: notDecided}, "half-hello": {start: notDecided}, "unflushed": {start: notDecided},
	"banner": {start: adapterFault}, "other-protocol": {start: adapterFault}, "bad-description": {start: adapterFault},
	"own-id":       {start: adapterFault},
	"exit-at-once": {start: adapterFault},

	"stubborn": badExit, "linger": badExit, "bad-exit": badExit, "mute-shutdown": badExit,
}

// provocations are a part of the suite that makes every faulty adapter go wrong: exchanges, a window of calls, and what a
// test adds.
func provocations(t *testing.T, more ...string) []cases.Case {
	t.Helper()
	all, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	selected, err := cases.Selection{Cases: append([]string{
		"protocol-echo-*", "protocol-one-verdict-per-event", "protocol-exit-at-end-of-input", "protocol-shutdown-exits",
		"history-third-identical-call", "history-alternating-calls",
	}, more...)}.Select(all)
	if err != nil {
		t.Fatal(err)
	}
	return selected
}

func TestEveryFaultIsAttributed(t *testing.T) {
	if raced || testing.Short() {
		t.Skip("hundreds of processes of this very binary: make long runs it, without the race detector")
	}
	t.Parallel()
	suite := provocations(t)
	for _, adapter := range faultyadapter.Adapters() {
		t.Run(adapter.Name, func(t *testing.T) {
			t.Parallel()
			want, known := voices[adapter.Name]
			if !known {
				t.Fatalf("nobody says to whom it is attributed that an adapter %s", adapter.About)
			}
			suite := suite
			if adapter.Name == "weary" || adapter.Name == "crowded" { // so many cases that it dies, whoever shares a process
				suite = provocations(t, "history-window-*", "history-loop-*", "history-copies-*")
			}
			if adapter.Name == "runaway" { // what left its process group cannot be found by the runner
				defer faultyadapter.Kill(faultyadapter.Mark(t.Name()) + "\x00")
			}
			start := time.Now()
			var got voice
			for _, limits := range limitsOf(adapter.Name) {
				got = hear(t, adapter.Name, suite, limits)
				if want.clause == anyClause && got.clause != "" {
					got.clause = anyClause
				}
				if got == want {
					break
				}
			}
			if got != want {
				t.Errorf("an adapter that %s: got %+v, want %+v", adapter.About, got, want)
			}
			if took := time.Since(start); took > wait {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// hear judges an adapter as the command does, and returns the outcomes.
func hear(t *testing.T, adapterName string, suite []cases.Case, limits stdio.Options) voice {
	t.Helper()
	exchanges, report, err := judgeOwn(t, faultyadapter.Env+"="+adapterName, suite, limits, conformance.Options{MaxRestarts: 3})
	if err != nil {
		t.Log(err)
		return voice{start: conformance.OutcomeOf(err)}
	}
	for _, result := range append(exchanges, report.Results...) {
		checkBearable(t, result)
		if result.Status != conformance.Passed {
			t.Logf("%s %s: %s", result.Case, result.Status, reasonOf(result))
		}
	}
	return voice{exchanges: (&conformance.Report{Results: exchanges}).Outcome(), port: report.Outcome(), clause: clauseOf(report)}
}

// judgeOwn judges this binary as an adapter, as the command does: by exchanges and by cases. Its error says that the
// adapter does not start.
func judgeOwn(
	t *testing.T, variable string, suite []cases.Case, limits stdio.Options, options conformance.Options,
) ([]conformance.Result, *conformance.Report, error) {
	t.Helper()
	command := own(t, variable)
	adapter, err := stdio.StartAdapter(t.Context(), command, limits)
	if err != nil {
		return nil, nil, err
	}
	defer adapter.Close()
	description, err := adapter.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dial := func(ctx context.Context) (*stdio.Wire, error) { return stdio.OpenWire(ctx, command, limits) }
	exchanges, err := conformance.CheckAdapter(t.Context(), dial, description, suite, limits)
	if err != nil {
		t.Fatal(err)
	}
	report, err := conformance.Run(t.Context(), adapter, suite, options)
	if err != nil {
		t.Fatal(err)
	}
	return exchanges, report, nil
}

// clauseOf returns the clause of the first case for which the adapter is at fault, else of the first that did not pass.
func clauseOf(report *conformance.Report) string {
	for _, wanted := range []func(conformance.Status) bool{
		func(s conformance.Status) bool { return s == conformance.Broken },
		func(s conformance.Status) bool { return s != conformance.Passed },
	} {
		for _, r := range report.Results {
			if wanted(r.Status) {
				return r.Clauses[0]
			}
		}
	}
	return ""
}

// checkBearable checks that a result is no larger than a person can read, and speaks no library's language.
func checkBearable(t *testing.T, result conformance.Result) {
	t.Helper()
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	if most := 16 << 10; len(text) > most {
		t.Errorf("%s: the result has %d bytes, want at most %d", result.Case, len(text), most)
	}
	for _, foreign := range []string{"jsontext", "context canceled", "deadline exceeded", "exec:", "fork/exec", "write |", "EOF", "%!"} {
		if strings.Contains(reasonOf(result)+result.Reason, foreign) {
			t.Errorf("%s: %q in %s, %s", result.Case, foreign, reasonOf(result), result.Reason)
		}
	}
}

func reasonOf(r conformance.Result) string {
	if r.Failure != nil {
		return r.Failure.Problem
	}
	return r.Reason
}

func TestEveryVoiceHasItsAdapter(t *testing.T) {
	t.Parallel()
	if adapters := faultyadapter.Adapters(); len(adapters) != len(voices) {
		t.Errorf("%d adapters, %d voices", len(adapters), len(voices))
	}
}
