//go:build unix

package stdio_test

import (
	"context"
	"flag"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/testing/faultyadapter"
	"github.com/loopstone/loopstone/spec"
)

// settleTime is how long an answer may take that nothing stands in the way of.
const settleTime = 20 * time.Second

// TestMain makes this binary the adapter under test where the environment says so. Otherwise it runs the tests and
// then demands that nothing is left of all the adapters: no goroutine, no process, no pipe.
func TestMain(m *testing.M) {
	switch os.Getenv(faultyadapter.Env) {
	case "echo":
		echo()
	default:
		faultyadapter.MainIfAsked(slowed(faultyadapter.Port()))
	}
	// These tests wait more than they work. An error would say that the flag is gone; -parallel still overrides it.
	if err := flag.Set("test.parallel", "32"); err != nil {
		panic(err)
	}
	os.Exit(faultyadapter.Main(m, "conformance/stdio."))
}

// catch returns how to start an adapter, and what its environment and that of what it leaves behind contains.
func catch(t testing.TB, name string) (stdio.Command, string) {
	t.Helper()
	command, err := faultyadapter.Command(name)
	if err != nil {
		t.Fatal(err)
	}
	mark := faultyadapter.Mark(t.Name())
	command.Env = append(command.Env, mark, "GORACE=atexit_sleep_ms=0") // the race detector delays exits by a second
	return command, mark + "\x00"
}

// start starts an adapter that is well, or as the environment says.
func start(t testing.TB, options stdio.Options, environment ...string) *stdio.Client {
	t.Helper()
	command, _ := catch(t, "healthy")
	command.Env = append(command.Env, environment...)
	client, err := stdio.Start(t.Context(), command, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// The variables that make a healthy adapter answer its function calls late: after a duration each, and the call of
// number n when a file holds a number that is at least n.
const (
	slowEnv = "LOOPSTONE_SLOW"
	gateEnv = "LOOPSTONE_GATE"
)

// slowed returns the port as the environment wants it.
func slowed(port spec.Port) spec.Port {
	delay, err := time.ParseDuration(os.Getenv(slowEnv))
	if gate := os.Getenv(gateEnv); gate != "" || err == nil {
		return &slowPort{Port: port, delay: delay, gate: gate}
	}
	return port
}

type slowPort struct {
	spec.Port
	delay time.Duration
	gate  string
	calls int
}

// Call implements [spec.Port].
func (s *slowPort) Call(ctx context.Context, f string, r spec.Reading, args spec.Value) (spec.Value, error) {
	time.Sleep(s.delay)
	for s.calls++; s.gate != ""; time.Sleep(time.Millisecond) {
		text, _ := os.ReadFile(s.gate)
		if n, _ := strconv.Atoi(string(text)); n >= s.calls {
			break
		}
	}
	return s.Port.Call(ctx, f, r, args)
}

// let lets the calls up to number n through a gate.
func let(t *testing.T, gate string, n int) {
	t.Helper()
	if err := os.WriteFile(gate+".new", []byte(strconv.Itoa(n)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(gate+".new", gate); err != nil {
		t.Fatal(err)
	}
}

// expectGone demands that no process with that environment is alive.
func expectGone(t *testing.T, mark string) {
	t.Helper()
	if !faultyadapter.Soon(func() bool { return faultyadapter.Processes(mark) == nil }) {
		t.Errorf("left behind: processes %v", faultyadapter.Processes(mark))
	}
}
