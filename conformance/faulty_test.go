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

// patient are limits that a healthy animal keeps even on a machine that is busy with other tests; hasty ones are for
// animals that would keep the tests waiting, and in a hurry only where that makes no difference to what is said of them.
var (
	patient = stdio.Options{
		StartTimeout: 15 * time.Second, RequestTimeout: 10 * time.Second, StopTimeout: 5 * time.Second,
		AnswerLimit: 64 << 10, StderrLimit: 4 << 10,
	}
	hasty = stdio.Options{
		StartTimeout: 15 * time.Second, RequestTimeout: time.Second, StopTimeout: 300 * time.Millisecond,
	}
)

// limitsOf returns what an animal is given, by its name.
func limitsOf(animal string) stdio.Options {
	limits := patient
	switch animal {
	case "hang", "freeze", "late", "half-line": // no answer will come, however long one waits
		limits = hasty
	case "deaf": // it will never start
		limits.StartTimeout = 5 * time.Second
	case "swap", "stubborn", "linger", "close-output": // an answer or an exit will never come, others must not be late
		limits.RequestTimeout, limits.StopTimeout = 3*time.Second, hasty.StopTimeout
	}
	return limits
}

// zooPatience is how long an animal may keep the runner busy with the few cases of these tests: some time-outs, and
// time for a busy machine.
const zooPatience = 40 * time.Second

// zooDay is how long a visit to the whole zoo may take, on a machine with two processors that does other things as well.
const zooDay = time.Minute

// voice is what the runner says of an animal: of its manners, by the exchanges of the protocol, and of its port, by
// cases. An animal that cannot even be started has startFails.
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

// voices says of every animal who is blamed for it.
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

// zooSuite is a part of the suite that provokes every animal: the manners of an adapter, and a window of calls.
func zooSuite(t *testing.T) []cases.Case {
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

func TestEveryAnimalHasItsVoice(t *testing.T) {
	t.Parallel()
	suite, opened := zooSuite(t), time.Now()
	t.Cleanup(func() { // after the last animal
		if took := time.Since(opened); took > zooDay {
			t.Errorf("the whole zoo took %s, want at most %s", took, zooDay)
		}
	})
	for _, animal := range faulty.Animals() {
		t.Run(animal.Name, func(t *testing.T) {
			t.Parallel()
			want, known := voices[animal.Name]
			if !known {
				t.Fatalf("nobody says what the runner must say of an animal that %s", animal.About)
			}
			if animal.Name == "runaway" { // what left its process group cannot be found by the runner
				defer leaktest.Kill(leaktest.Mark(t.Name()) + "\x00")
			}
			start := time.Now()
			if got := hear(t, animal.Name, suite); got != want {
				t.Errorf("an animal that %s: got %+v, want %+v", animal.About, got, want)
			}
			took := time.Since(start)
			t.Logf("%s: %.1f s", animal.About, took.Seconds())
			if took > zooPatience {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// hear judges an animal as the command does, and returns what is said of it.
func hear(t *testing.T, animal string, suite []cases.Case) voice {
	t.Helper()
	command, limits := own(t, faulty.Env+"="+animal), limitsOf(animal)
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

func TestTheZooIsLargeEnough(t *testing.T) {
	t.Parallel()
	animals := faulty.Animals()
	if len(animals) < 18 || len(animals) != len(voices) {
		t.Errorf("%d animals, %d voices", len(animals), len(voices))
	}
}
