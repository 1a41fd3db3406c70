//go:build unix

package conformance_test

import (
	"context"
	"testing"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/faulty"
	"github.com/loopstone/loopstone/internal/leaktest"
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
	case "hang", "freeze", "late", "half-line", "swap", "stubborn", "linger", "close-output",
		"flood-stdout", "flood-answers":
		return []stdio.Options{hasty, patient}
	case "deaf": // it will never start
		return []stdio.Options{{StartTimeout: time.Second}}
	default:
		return []stdio.Options{patient}
	}
}

// wait is how long a faulty adapter may keep the runner busy with the few cases of these tests, on a busy machine: it
// is less than the adapter waits where it waits for ever.
const wait = 4 * time.Minute

// voice is the outcome of an adapter: of itself, by the exchanges of the protocol, and of its port, by cases. An adapter
// that cannot even be started has startFails.
type voice struct {
	exchanges, port conformance.Outcome
	startFails      bool
}

var (
	fine       = voice{conformance.Conformant, conformance.Conformant, false}
	badPort    = voice{conformance.AdapterFault, conformance.NotConformant, false} // it dies on events, and so on exchanges
	badAdapter = voice{conformance.AdapterFault, conformance.AdapterFault, false}
	silent     = voice{conformance.AdapterFault, conformance.NotDecided, false} // an exchange demands an answer, a case wants it in time
	badExit    = voice{conformance.AdapterFault, conformance.Conformant, false} // how it ends is no case's business
	noStart    = voice{startFails: true}
)

// voices says of every faulty adapter to whom its fault is attributed.
var voices = map[string]voice{
	"healthy": fine, "crlf": fine, "slow": fine, "slow-start": fine, "flood-stderr": fine, "nursery": fine,

	"exit": badPort, "exit-after": badPort, "half-exit": badPort, "crash": badPort, "orphan": badPort, "runaway": badPort,

	"hang": silent, "freeze": silent, "late": silent, "half-line": silent,

	"odd-code": badAdapter, "garbage": badAdapter, "long-garbage": badAdapter, "empty-line": badAdapter,
	"array": badAdapter, "no-newline": badAdapter, "duplicate": badAdapter, "flood-stdout": badAdapter,
	"flood-answers": badAdapter, "close-output": badAdapter, "swap": badAdapter, "wrong-id": badAdapter,
	"old-id": badAdapter, "string-id": badAdapter, "null-id": badAdapter, "old-version": badAdapter,
	"no-result": badAdapter, "both": badAdapter, "null-result": badAdapter, "bad-error": badAdapter,
	"wrong-type": badAdapter, "few-verdicts": badAdapter, "many-verdicts": badAdapter, "exit-0": badAdapter,

	"deaf": noStart, "banner": noStart, "other-protocol": noStart, "bad-description": noStart, "exit-at-once": noStart,

	"stubborn": badExit, "linger": badExit, "bad-exit": badExit, "mute-shutdown": badExit,
}

// provocations are a part of the suite that makes every faulty adapter go wrong: exchanges, and a window of calls.
func provocations(t *testing.T) []cases.Case {
	t.Helper()
	all, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	selected, err := conformance.Selection{Cases: []string{
		"protocol-echo-*", "protocol-one-verdict-per-event", "protocol-exit-at-end-of-input", "protocol-shutdown-exits",
		"history-third-identical-call", "history-alternating-calls",
	}}.Select(all)
	if err != nil {
		t.Fatal(err)
	}
	return selected
}

func TestEveryFaultIsAttributed(t *testing.T) {
	t.Parallel()
	suite := provocations(t)
	for _, adapter := range faulty.Adapters() {
		t.Run(adapter.Name, func(t *testing.T) {
			t.Parallel()
			want, known := voices[adapter.Name]
			if !known {
				t.Fatalf("nobody says to whom it is attributed that an adapter %s", adapter.About)
			}
			if adapter.Name == "runaway" { // what left its process group cannot be found by the runner
				defer leaktest.Kill(leaktest.Mark(t.Name()) + "\x00")
			}
			start := time.Now()
			var got voice
			for _, limits := range limitsOf(adapter.Name) {
				if got = hear(t, adapter.Name, suite, limits); got == want {
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
	command := own(t, faulty.Env+"="+adapterName)
	adapter, err := conformance.StartAdapter(t.Context(), command, limits)
	if err != nil {
		return voice{startFails: true}
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
	report, err := conformance.Run(t.Context(), adapter, suite, conformance.Options{MaxRestarts: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range append(exchanges, report.Results...) {
		if result.Status != conformance.Passed {
			t.Logf("%s %s: %s", result.Case, result.Status, reasonOf(result))
		}
	}
	return voice{exchanges: (&conformance.Report{Results: exchanges}).Outcome(), port: report.Outcome()}
}

func reasonOf(r conformance.Result) string {
	if r.Failure != nil {
		return r.Failure.Problem
	}
	return r.Reason
}

func TestEveryVoiceHasItsAdapter(t *testing.T) {
	t.Parallel()
	if adapters := faulty.Adapters(); len(adapters) != len(voices) {
		t.Errorf("%d adapters, %d voices", len(adapters), len(voices))
	}
}
