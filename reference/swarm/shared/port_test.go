package shared_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/testing/redisserver"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/reference/swarm/shared"
	"github.com/loopstone/loopstone/spec"
)

// open returns a session of a process of its own, as far as the store can tell.
func open(t *testing.T, url, config string) spec.Session {
	t.Helper()
	store, err := shared.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	s, err := store.Port(reference.Port()).Open(t.Context(), spec.Swarm, spec.Text, spec.MustParse(config))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const (
	everyCall = `{"swarm":"s","threshold":1,"min_workers":1}`
	callOfA   = `{"type":"tool_call","tool":"t","worker":"a"}`
	callOfB   = `{"type":"tool_call","tool":"t","worker":"b"}`
	other     = `{"type":"tool_call","tool":"u","worker":"b"}`
	answered  = `{"type":"tool_call","tool":"t","worker":"a","id":"7"}`
	sameID    = `{"type":"tool_call","tool":"t","worker":"b","id":"7"}`
)

// seen is what a verdict tells of the totals.
type seen struct {
	Count, Workers int
	Evidence       string
}

// observe sends the events in one batch.
func observe(t *testing.T, s spec.Session, events ...string) []seen {
	t.Helper()
	values := make([]spec.Value, len(events))
	for i, e := range events {
		values[i] = spec.MustParse(e)
	}
	verdicts, err := s.Observe(t.Context(), values)
	if err != nil {
		t.Fatal(err)
	}
	var all []seen
	for _, v := range verdicts {
		count, _ := v.Get("count").Int()
		workers, _ := v.Get("workers").Int()
		all = append(all, seen{count, workers, v.Get("evidence").String()})
	}
	return all
}

func want(t *testing.T, why string, got []seen, want ...seen) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got)\n%s", why, diff)
	}
}

func TestAPortOnAStorePassesTheSuiteOfOneSession(t *testing.T) {
	t.Parallel()
	store, err := shared.Open(t.Context(), redisserver.Start(t).URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	conformance.Test(t, store.Port(reference.Port()), conformance.Only(cases.Selection{Detectors: []string{"swarm"}}))
}

func TestSessionsOfOneSwarmCountTogether(t *testing.T) {
	t.Parallel()
	url := redisserver.Start(t).URL()
	first, second := open(t, url, everyCall), open(t, url, everyCall)
	want(t, "a batch counts call by call", observe(t, first, callOfA, other, callOfA), seen{1, 1, "[0]"}, seen{1, 1, "[1]"}, seen{2, 1, "[0,2]"})
	want(t, "the other session sees it, and has no index of it", observe(t, second, callOfB), seen{3, 2, "[0]"})
	strict := open(t, url, `{"swarm":"s"}`)
	want(t, "who is patient sees no loop yet", observe(t, strict, callOfA), seen{0, 0, "null"})
	want(t, "another swarm is another swarm", observe(t, open(t, url, `{"swarm":"","threshold":1,"min_workers":1}`), callOfA), seen{1, 1, "[0]"})
	if err := second.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	state, err := first.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	want(t, "a reset is one for all, and what was before is no evidence", observe(t, strict, callOfB), seen{0, 0, "null"})
	want(t, "a reset is one for all", observe(t, first, callOfA), seen{2, 2, "[3]"})
	if err := strict.Restore(t.Context(), state); err != nil {
		t.Fatal(err)
	}
	want(t, "and so is a restore", observe(t, first, callOfA), seen{5, 2, "[4]"})
}

func TestAReportSentAgainCountsOnce(t *testing.T) {
	t.Parallel()
	url := redisserver.Start(t).URL()
	first, second := open(t, url, everyCall), open(t, url, everyCall)
	want(t, "the first time", observe(t, first, answered), seen{1, 1, "[0]"})
	want(t, "the worker moved to another process, and sends it again", observe(t, second, answered), seen{1, 1, "null"})
	want(t, "another worker's id is another", observe(t, second, sameID), seen{2, 2, "[1]"})
	want(t, "twice in one batch", observe(t, first, answered, answered), seen{2, 2, "[0]"}, seen{2, 2, "[0]"})
	if err := second.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	want(t, "ids outlive a reset", observe(t, first, answered, callOfA), seen{0, 0, "null"}, seen{1, 1, "[4]"})
	alone := open(t, url, `{"threshold":1,"min_workers":1}`)
	want(t, "a swarm of one session knows no ids", observe(t, alone, answered, answered), seen{1, 1, "[0]"}, seen{2, 1, "[0,1]"})
}

func TestAStoreThatThrowsDataAwayIsRefused(t *testing.T) {
	t.Parallel()
	full := redisserver.Start(t, "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru")
	_, err := shared.Open(t.Context(), full.URL())
	if err == nil || !strings.Contains(err.Error(), "throws totals away when its memory is full (maxmemory-policy allkeys-lru)") {
		t.Errorf("got %v", err)
	}
}

func TestAddressesThatCannotBe(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"http://localhost":                `read the address of the store http://localhost: redis: invalid URL scheme: http`,
		"redis://localhost?life=soon":     `life of a swarm: want a duration of at least 1s, got "soon"`,
		"redis://localhost?live=1h":       `read the address of the store redis://localhost?live=1h: unknown parameter "live"; did you mean "life"?`,
		"redis://u:secret@localhost/none": `read the address of the store redis://u:xxxxx@localhost/none: redis: invalid database number: "none"`,
	} {
		if _, err := shared.Open(t.Context(), address); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", address, err, want)
		}
	}
}

// unavailable reports whether the error is the refusal of a store that is away.
func unavailable(err error) bool {
	var fault *spec.Fault
	return errors.As(err, &fault) && fault.Kind == spec.Unavailable
}

func TestACancelledRequestIsNoFaultOfTheStore(t *testing.T) {
	t.Parallel()
	s := open(t, redisserver.Start(t).URL(), everyCall)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Observe(ctx, []spec.Value{spec.MustParse(callOfA)}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
