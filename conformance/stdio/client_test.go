//go:build unix

package stdio_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/testing/faultyadapter"
	"github.com/loopstone/loopstone/spec"
)

var event = spec.MustParse(`{"type":"output","text":"é\n\u2028\\"}`)

// A tour asks a port everything once and returns what it says.
func tour(ctx context.Context, port spec.Port) []string {
	var said []string
	note := func(v any, err error) {
		var fault *spec.Fault
		if errors.As(err, &fault) {
			v, err = fmt.Sprintf("%+v", *fault), nil
		}
		said = append(said, fmt.Sprintf("%v %v", v, err))
	}
	note(port.Describe(ctx))
	note(port.Call(ctx, "history.hash", "", spec.MustParse(`{"b":1.0,"a":[null,true]}`)))
	note(port.Call(ctx, "history.hash", spec.Code, spec.Value{}))
	note(port.Call(ctx, "no.such", spec.Code, spec.ObjectValue()))
	for _, config := range []string{`{"window":3}`, `{"repeat_threshold":0}`, `null`} {
		_, err := port.Open(ctx, spec.History, spec.Code, spec.MustParse(config))
		note("open", err)
	}
	_, err := port.Open(ctx, spec.Crow, "", spec.Value{})
	note("open", err)
	s, err := port.Open(ctx, spec.History, spec.Code, spec.MustParse(`{"repeat_threshold":2}`))
	note("open", err)
	note(s.Observe(ctx, []spec.Value{event}))
	note(s.Observe(ctx, []spec.Value{event, spec.MustParse(`{"type":"output"}`)}))
	note(s.Observe(ctx, []spec.Value{event, event}))
	note(s.Observe(ctx, nil))
	note(s.State(ctx))
	note(s.Snapshot(ctx))
	note("restore", s.Restore(ctx, spec.MustParse(`{"count":-1}`)))
	note("restore", s.Restore(ctx, spec.MustParse(`{"count":1}`)))
	note(s.Observe(ctx, []spec.Value{event}))
	note("reset", s.Reset(ctx))
	note(s.Snapshot(ctx))
	note("close", s.Close(ctx))
	return said
}

func TestAClientSaysWhatThePortSays(t *testing.T) {
	t.Parallel()
	want := tour(t.Context(), faultyadapter.Port())
	client := start(t, stdio.Options{})
	got := tour(t.Context(), client)
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("step %d:\n got %s\nwant %s", i, got[i], want[i])
		}
	}
}

func TestAClosedSessionIsUnknown(t *testing.T) {
	t.Parallel()
	client := start(t, stdio.Options{})
	s := openSession(t, client)
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var fault *spec.Fault
	if err := s.Reset(t.Context()); !errors.As(err, &fault) || fault.Kind != spec.UnknownSession {
		t.Errorf("Reset: got %v, want %s", err, spec.UnknownSession)
	}
}

func TestWhatWasSentIsCounted(t *testing.T) {
	t.Parallel()
	client := start(t, stdio.Options{})
	s := openSession(t, client)
	if _, err := s.Observe(t.Context(), []spec.Value{event, event}); err != nil {
		t.Fatal(err)
	}
	if requests, events := client.Sent(); requests != 3 || events != 2 { // initialize, open, observe
		t.Errorf("%d requests with %d events, want 3 with 2", requests, events)
	}
}

func openSession(t testing.TB, client *stdio.Client) spec.Session {
	t.Helper()
	s, err := client.Open(t.Context(), spec.History, spec.Code, spec.Value{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNoMoreRequestsTravelThanTheWindowHolds(t *testing.T) {
	t.Parallel()
	const window, callers = 3, 20
	gate := filepath.Join(t.TempDir(), "gate")
	client := start(t, stdio.Options{Window: window, RequestTimeout: patience}, gateEnv+"="+gate)
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			if _, err := client.Call(t.Context(), "history.hash", "", spec.ObjectValue()); err != nil {
				t.Error(err)
			}
		})
	}
	for answered := range callers {
		want := 1 + min(answered+window, callers) // initialize, too
		sent := func() int { requests, _ := client.Sent(); return requests }
		if !faultyadapter.Soon(func() bool { return sent() >= want }) || sent() > want {
			t.Fatalf("%d requests were sent and %d answered, want %d", sent(), 1+answered, want)
		}
		let(t, gate, answered+1)
	}
	group.Wait()
}

// More callers than the window has room for, with requests of all sizes: every answer must reach its own caller.
func TestManyCallersGetTheirOwnAnswers(t *testing.T) {
	t.Parallel()
	client := start(t, stdio.Options{})
	var group sync.WaitGroup
	for caller := range stdio.DefaultWindow + 50 {
		group.Go(func() { callAndCompare(t, client, caller) })
	}
	group.Wait()
}

func callAndCompare(t *testing.T, client *stdio.Client, caller int) {
	for round := range 5 {
		text := strings.Repeat("x", 1<<(caller%12)*round)
		args := spec.ObjectValue(
			spec.Member{Name: "caller", Value: spec.IntValue(caller)},
			spec.Member{Name: "text", Value: spec.StringValue(text)},
		)
		got, err := client.Call(t.Context(), "history.hash", spec.Code, args)
		if err != nil || !got.Equal(args) {
			t.Errorf("caller %d, round %d: got %.80s, %v", caller, round, got, err)
			return
		}
	}
}

func TestARequestAboveTheWindowPasses(t *testing.T) {
	t.Parallel()
	client := start(t, stdio.Options{RequestTimeout: patience})
	args := spec.ObjectValue(spec.Member{Name: "text", Value: spec.StringValue(strings.Repeat("x", 9<<17))})
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			if got, err := client.Call(t.Context(), "history.hash", spec.Code, args); err != nil || !got.Equal(args) {
				t.Errorf("got %v, want the args back", err)
			}
		})
	}
	group.Wait()
}

func TestACallerThatGivesUpDisturbsNobody(t *testing.T) {
	t.Parallel()
	gate := filepath.Join(t.TempDir(), "gate")
	client := start(t, stdio.Options{Window: 1, RequestTimeout: patience}, gateEnv+"="+gate)
	// With a window of one, some give up while they wait for the answer and others while they wait to send.
	var group sync.WaitGroup
	for range 5 {
		group.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			defer cancel()
			if _, err := client.Call(ctx, "history.hash", "", spec.ObjectValue()); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
			}
		})
	}
	group.Wait()
	let(t, gate, 100)
	args := spec.MustParse(`{"still":"there"}`)
	if got, err := client.Call(t.Context(), "history.hash", "", args); err != nil || !got.Equal(args) {
		t.Errorf("got %v, %v, want %v", got, err, args)
	}
}

func TestTheTimeLimitRunsForTheOldestRequestAlone(t *testing.T) {
	t.Parallel()
	for limit := 2 * time.Second; ; limit *= 4 { // a busy machine may not keep the first
		err := eightTogether(t, limit)
		if err == nil {
			break
		}
		if limit > time.Minute {
			t.Fatal(err)
		}
	}
}

// eightTogether makes eight calls that travel together, and take more than the limit in all, but none takes a quarter of
// it. It returns the errors of those that were given up.
func eightTogether(t *testing.T, limit time.Duration) error {
	t.Helper()
	client := start(t, stdio.Options{RequestTimeout: limit}, fmt.Sprintf("%s=%s", slowEnv, limit/5))
	errs := make([]error, 8)
	var group sync.WaitGroup
	for i := range errs {
		group.Go(func() { _, errs[i] = client.Call(t.Context(), "history.hash", "", spec.ObjectValue()) })
	}
	group.Wait()
	return errors.Join(errs...)
}

func TestTheDescriptionIsTheAdaptersOwn(t *testing.T) {
	t.Parallel()
	client := start(t, stdio.Options{})
	got, _ := client.Describe(t.Context())
	want, _ := faultyadapter.Port().Describe(t.Context())
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// An adapter for detectors in Go is one call: with os.Stdin instead of the two lines.
func ExampleServe() {
	requests := strings.NewReader(`
{"jsonrpc":"2.0","id":1,"method":"session/open","params":{"session":"s1","detector":"history","reading":"code"}}
{"jsonrpc":"2.0","id":2,"method":"session/observe","params":{"session":"s1","events":[{"type":"tool_call","tool":"ls"}]}}
`)
	if err := stdio.Serve(context.Background(), faultyadapter.Port(), requests, os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{}}
	// {"jsonrpc":"2.0","id":2,"result":{"verdicts":[{"loop":false,"count":1}]}}
}
