//go:build unix

package stdio_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/testing/faultyadapter"
	"github.com/loopstone/loopstone/spec"
)

// brisk are limits that keep the tests short.
var brisk = stdio.Options{
	StartTimeout:   patience,
	RequestTimeout: 2 * time.Second,
	StopTimeout:    time.Second,
	AnswerLimit:    64 << 10,
	StderrLimit:    4 << 10,
}

// limitsOf returns limits that are brisk where a faulty adapter lets them pass, and long where it must keep them: a busy
// machine is no fault of an adapter.
func limitsOf(adapter string) stdio.Options {
	limits := brisk
	switch adapter {
	case "hang", "freeze", "late", "half-line", "stop", "drip-on", "close-input":
	case "half-hello":
		limits.StartTimeout = limits.RequestTimeout
	case "unflushed":
		limits.StartTimeout, limits.StopTimeout = limits.RequestTimeout, patience
	case "stubborn", "linger":
		limits.RequestTimeout = patience
	default:
		limits.RequestTimeout, limits.StopTimeout = patience, patience
	}
	return limits
}

// patience is how long an adapter may take on a busy machine; one that waits for ever waits longer.
const patience = 2 * time.Minute

// visit starts an adapter and makes it answer: the first event is where most misbehave. It returns the first error that
// is no refusal.
func visit(t *testing.T, name string, options stdio.Options) error {
	t.Helper()
	command, mark := catch(t, name)
	defer expectGone(t, mark)
	start := time.Now()
	defer func() {
		if took := time.Since(start); took > patience {
			t.Errorf("it took %s", took)
		}
	}()
	client, err := stdio.Start(t.Context(), command, options)
	if err != nil {
		return err
	}
	defer client.Close()
	err = provoke(t.Context(), client)
	if gone := new(stdio.ProcessError); errors.As(err, &gone) {
		_, again := client.Call(t.Context(), "history.hash", "", spec.ObjectValue())
		if !errors.Is(again, gone) || !errors.Is(client.Err(), gone) {
			t.Errorf("later: got %v and %v, want %v", again, client.Err(), gone)
		}
	}
	return err
}

// provoke opens a session and asks it twice, the second time by two callers at once.
func provoke(ctx context.Context, client *stdio.Client) error {
	s, err := client.Open(ctx, spec.History, spec.Code, spec.Value{})
	if err != nil {
		return err
	}
	events := []spec.Value{event, event, event}
	var errs [3]error
	var group sync.WaitGroup
	group.Go(func() { _, errs[0] = s.Observe(ctx, events) })
	group.Go(func() { _, errs[1] = client.Call(ctx, "history.hash", "", spec.ObjectValue()) })
	group.Wait()
	if errs[0] == nil && errs[1] == nil {
		_, errs[2] = s.Observe(ctx, events)
	}
	for _, err := range errs {
		if gone := new(stdio.ProcessError); errors.As(err, &gone) {
			return gone
		}
	}
	return errors.Join(errs[:]...)
}

// A report is what the error says of an adapter: the reader must see what happened without asking further.
type report struct{ adapter, want, line string }

var reports = []report{
	{"hang", "timed out at session/observe of session s1: no answer within 2s", ""},
	{"half-line", "timed out at session/observe of session s1: no answer within 2s, only the beginning of one", `: "{\"jsonrpc\":\"2.0\",`},
	{"unflushed", "timed out at initialize: no answer within 2s, but one after its input had ended: it does not flush standard output after each, or it starts too slowly", ""},
	{"garbage", "broke the protocol at session/observe of session s1: a line that is not JSON", `: "debug: about to answer"`},
	{"banner", "broke the protocol at initialize: a line that is not JSON", `: "Loop detector 1.0, ready."`},
	{"long-garbage", "broke the protocol at session/observe of session s1: a line that is not JSON", ` and so on`},
	{"empty-line", "broke the protocol at session/observe of session s1: an empty line", `: ""`},
	{"array", "an answer must be an object, got array", `: "[{`},
	{"no-newline", "the last line must end with a newline", `}"`},
	{"duplicate", "a second answer to the same request", `}"`},
	{"old-id", "a second answer to the same request", `}"`},
	{"wrong-id", "an answer with an id that no request has; copy the id from the request", `424242`},
	{"own-id", "broke the protocol at initialize: an answer with an id that no request has; copy the id from the request", `id\":1,`},
	{"string-id", "an answer's id must be the request's, a number, got string; copy it as it is", `}"`},
	{"float-id", "an answer's id must be the request's as it was sent, got 1", `.0`},
	{"null-id", "an answer's id must be the request's, a number, got null; copy it as it is", `null`},
	{"old-version", `an answer's jsonrpc must be "2.0"`, `}"`},
	{"no-result", "an answer must have a result or an error", `}"`},
	{"both", "an answer must not have a result and an error", `but`},
	{"null-result", "the result's verdicts must be an array, got absent", `null`},
	{"bad-error", "an error must be an object with an integer code", `no`},
	{"wrong-type", "verdict member loop: want boolean, got string", `yes`},
	{"few-verdicts", "the result must have one verdict per event: want 1, got 0", `[]`},
	{"many-verdicts", "the result must have one verdict per event: want 1, got 2", `}"`},
	{"other-protocol", "broke the protocol at initialize: the description's protocol must be 1, got 2", `}"`},
	{"bad-description", "broke the protocol at initialize: the description's name must be a string, got number", `}"`},
	{"flood-stdout", "a line longer than 65536 bytes", ``},
	{"close-output", "it closed its output, but did not exit", ``},
	{"exit", "exited at session/observe of session s1: exit status 3", ``},
	{"exit-after", ": exit status 3", ``},
	{"exit-0", "exited at session/observe of session s1: exit status 0", ``},
	{"exit-at-once", "exited at initialize: exit status 7", ``},
	{"half-exit", "exit status 3, in the middle of a line", `: "{\"jsonrpc`},
	{"crash", "exited at session/observe of session s1: signal killed", ``},
}

func TestFaultyAdaptersAreReportedForWhatTheyDo(t *testing.T) {
	for _, adapter := range faultyadapter.Adapters() {
		switch adapter.Name {
		case "runaway", "deaf": // have tests of their own
			continue
		case "weary", "crowded", "exit-hello", "huge-count", "huge-kind", "huge-evidence": // need more than a visit
			continue
		}
		t.Run(adapter.Name, func(t *testing.T) {
			t.Parallel()
			i := slices.IndexFunc(reports, func(r report) bool { return r.adapter == adapter.Name })
			if i >= 0 {
				expectReport(t, visitAlone(t, adapter.Name), adapter.Reason, reports[i])
				return
			}
			err := visit(t, adapter.Name, limitsOf(adapter.Name))
			if adapter.Reason != "" {
				expectReason(t, err, adapter.Reason)
				return
			}
			if gone := new(stdio.ProcessError); errors.As(err, &gone) {
				t.Errorf("an adapter that %s is no fault of the adapter: %v\n%s", adapter.About, err, gone.Stderr)
			}
		})
	}
}

// expectReport demands that an error says what happened, in a line.
func expectReport(t *testing.T, err error, reason stdio.Reason, want report) {
	t.Helper()
	text := expectReason(t, err, reason).Error()
	if !strings.Contains(text, want.want) || !strings.Contains(text, want.line) {
		t.Errorf("got %s\nwant in it %s … %s", text, want.want, want.line)
	}
	if len(text) > 2000 || strings.Contains(text, "\n") {
		t.Errorf("the error is no single line of bearable length, but has %d bytes: %s", len(text), text)
	}
}

// visitAlone observes one event at a time, so that it is certain which request was the oldest.
func visitAlone(t *testing.T, name string) error {
	command, _ := catch(t, name)
	client, err := stdio.Start(t.Context(), command, limitsOf(name))
	if err != nil {
		return err
	}
	defer client.Close()
	s, err := client.Open(t.Context(), spec.History, spec.Code, spec.Value{})
	for range 3 {
		if err != nil {
			return err
		}
		_, err = s.Observe(t.Context(), []spec.Value{event})
	}
	if err == nil { // what came after the last answer shows with the next
		_, err = s.State(t.Context())
	}
	return err
}

// TestClosedOutputIsWaitedForTwice: after two processes that close their output and live on, the next ones get a part of
// the time to end. How much faster that is depends on the machine, so that several may show it.
func TestClosedOutputIsWaitedForTwice(t *testing.T) {
	t.Parallel()
	command, _ := catch(t, "close-output")
	adapter, err := stdio.StartAdapter(t.Context(), command, limitsOf("close-output"))
	if err != nil {
		t.Fatal(err)
	}
	defer adapter.Close()
	var took []time.Duration
	for range 5 {
		start := time.Now()
		s, err := adapter.Open(t.Context(), spec.History, spec.Code, spec.Value{})
		if err == nil {
			_, err = s.Observe(t.Context(), []spec.Value{event})
		}
		expectReason(t, err, stdio.BrokeProtocol)
		took = append(took, time.Since(start))
		if err := adapter.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if first, last := min(took[0], took[1]), slices.Min(took[2:]); last > first/2 {
		t.Errorf("the first two processes take %s to fail, and a later one %s; want less than half", took[:2], took[2:])
	}
}

func TestAnAdapterThatDoesNotReadIsReportedSo(t *testing.T) {
	t.Parallel()
	options := brisk
	options.SuiteVersion = strings.Repeat("x", 200<<10) // more than a pipe holds
	options.StartTimeout = 3 * time.Second
	err := visit(t, "deaf", options)
	gone := expectReason(t, err, stdio.TimedOut)
	if want := "no answer within 3s, and it does not read its input"; gone.Problem != want {
		t.Errorf("got %q, want %q", gone.Problem, want)
	}
}

func TestErrorsCarryStatusAndStderr(t *testing.T) {
	t.Parallel()
	err := visit(t, "exit-at-once", limitsOf("exit-at-once"))
	gone := expectReason(t, err, stdio.Exited)
	if gone.Exit == nil || gone.Exit.Code != 7 {
		t.Errorf("got exit %v, want status 7", gone.Exit)
	}
	if want := "cannot find my configuration"; gone.Stderr != want {
		t.Errorf("got stderr %q, want %q", gone.Stderr, want)
	}
}

func TestACodeThatTheProtocolDoesNotHaveIsNamed(t *testing.T) {
	t.Parallel()
	err := visit(t, "odd-code", limitsOf("odd-code"))
	var odd *stdio.CodeError
	if !errors.As(err, &odd) || odd.Code != -32000 || odd.Message != "out of order" {
		t.Errorf("got %v, want code -32000", err)
	}
}

func expectReason(t *testing.T, err error, want stdio.Reason) *stdio.ProcessError {
	t.Helper()
	var gone *stdio.ProcessError
	if !errors.As(err, &gone) {
		t.Fatalf("got %v, want an adapter that %s", err, want)
	}
	if gone.Reason != want {
		t.Fatalf("got reason %q, want %q: %v", gone.Reason, want, err)
	}
	return gone
}
