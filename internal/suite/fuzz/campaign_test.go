package fuzz_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/tracegen"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// crashEnv makes this binary an adapter that crashes.
const crashEnv = "LOOPSTONE_FUZZ_CRASHES"

func TestMain(m *testing.M) {
	if os.Getenv(crashEnv) == "" {
		os.Exit(m.Run())
	}
	if err := stdio.Serve(context.Background(), hosted(crashing()), os.Stdin, os.Stdout); err != nil {
		os.Exit(1)
	}
}

// hosted returns a port of one detector, in this process.
func hosted(impl spec.Implementation) spec.Port {
	return spec.NewHost(spec.Description{Name: "faulty", Version: "1", Language: "go"}, impl)
}

// crashingAdapter starts a port of [crashing] behind a pipe, that ends with the test.
func crashingAdapter(t *testing.T) *stdio.Adapter {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := stdio.Command{Path: self, Env: []string{crashEnv + "=1", "GORACE=atexit_sleep_ms=0"}}
	patient := stdio.Options{StartTimeout: time.Hour, RequestTimeout: time.Hour} // the machine may be busy
	adapter, err := stdio.StartAdapter(t.Context(), command, patient)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { adapter.Close() })
	return adapter
}

// crashing is a history detector that panics at the third event of a session.
func crashing() spec.Implementation {
	return changed(reference.Implementation(spec.History), func(d spec.Detector, _ spec.Value) spec.Detector {
		events := 0
		return &tweaked{Detector: d, before: func(e spec.Event) spec.Event {
			if events++; events == 3 {
				panic("three")
			}
			return e
		}}
	})
}

// TestACrashShrinksThoughManyTracesTravelTogether demands the minimum, whatever else was in the pipe.
func TestACrashShrinksThoughManyTracesTravelTogether(t *testing.T) {
	h := fuzz.NewFuzzer(crashingAdapter(t), reference.Port(), tracegen.For, crashing().Offer, spec.Code)
	h.Checks = h.Checks[:1] // agreement
	found, err := h.Look(t.Context(), 100, 1)
	if err != nil || len(found) != 1 {
		t.Fatalf("found %v, %v, want one counterexample", found, err)
	}
	const event = `{"type":"output","text":""}`
	const want = `{"detector":"history","reading":"code","steps":[` + event + "," + event + "," + event + `]}`
	if got := found[0].Subject.Value().String(); got != want {
		t.Errorf("got %s (%s), want %s", got, found[0].Finding.Error(), want)
	}
}

// miscounting is a history detector that takes a count of 3 for 2.
func miscounting() spec.Implementation {
	return changed(reference.Implementation(spec.History), func(d spec.Detector, _ spec.Value) spec.Detector {
		return &tweaked{Detector: d, after: func(_ spec.Event, v spec.Verdict) spec.Verdict {
			if v.Count == 3 && v.Loop {
				v.Count = 2
			}
			return v
		}}
	})
}

func TestACampaignReportsEachCounterexampleOnceHoweverManyWorkersItHas(t *testing.T) {
	if testing.Short() {
		t.Skip("it searches for seconds: make long runs it")
	}
	for _, workers := range []int{1, 3} {
		var pairs []fuzz.Pair
		for range workers {
			pairs = append(pairs, fuzz.Pair{Port: hosted(miscounting()), Oracle: reference.Port()})
		}
		var found []fuzz.Found
		var progress fuzz.Progress
		reports := 0
		for within := 500 * time.Millisecond; found == nil && within < time.Hour; within *= 4 { // the machine may be busy
			var err error
			reports = 0
			found, progress, err = fuzz.Campaign{
				Pairs: pairs, Laws: fuzz.Cases(), Source: tracegen.For, Seed: 1, For: within,
				Progress: func(fuzz.Progress) { reports++ },
			}.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
		}
		const call = `{"type":"tool_call","tool":""}`
		const want = "agreement " + `{"detector":"history","reading":"code","steps":[` + call + "," + call + "," + call + `]}`
		if len(found) != 1 || found[0].Key() != want {
			t.Errorf("%d workers found %v, want %s alone", workers, found, want)
		}
		if progress.Traces == 0 || progress.Events < progress.Traces || progress.Findings != 1 || reports != progress.Checks {
			t.Errorf("%d workers: %+v after %d reports", workers, progress, reports)
		}
	}
}

func TestProgressIsOneLine(t *testing.T) {
	t.Parallel()
	p := fuzz.Progress{Traces: 900, Calls: 100, Events: 8100, Checks: 7, Findings: 1, Elapsed: 2 * time.Second}
	const want = "1000 executions, 500/s, 9.0 events per trace, 7 laws checked, 1 finding"
	if got := p.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestACampaignThatCannotBeginIsAnError(t *testing.T) {
	t.Parallel()
	whole := fuzz.Pair{Port: reference.Port(), Oracle: reference.Port()}
	part := fuzz.Pair{Port: spec.NewHost(spec.Description{}, reference.Implementation(spec.History)), Oracle: reference.Port()}
	nothing := fuzz.Pair{Port: reference.Port(), Oracle: spec.NewHost(spec.Description{})}
	tests := []struct {
		why   string
		pairs []fuzz.Pair
		want  string
	}{
		{"nobody is asked", nil, "no port"},
		{"the ports have nothing in common", []fuzz.Pair{nothing}, "no detector and reading"},
		{"the workers could not take each other's tasks", []fuzz.Pair{whole, part}, "each time it is started"},
	}
	for _, test := range tests {
		_, _, err := fuzz.Campaign{Pairs: test.pairs, Laws: fuzz.Cases(), Source: tracegen.For, For: time.Second}.Run(t.Context())
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want an error about %q", test.why, err, test.want)
		}
	}
}
