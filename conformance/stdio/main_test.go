//go:build unix

package stdio_test

import (
	"flag"
	"os"
	"testing"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/guard/faulty"
)

// settleTime is how long an answer may take that nothing stands in the way of.
const settleTime = 20 * time.Second

// TestMain makes this binary the adapter under test where the environment says so. Otherwise it runs the tests and
// then demands that nothing is left of all the adapters: no goroutine, no process, no pipe.
func TestMain(m *testing.M) {
	switch os.Getenv(faulty.Env) {
	case "echo":
		echo()
	default:
		faulty.MainIfAsked(faulty.Port())
	}
	// These tests wait more than they work. An error would say that the flag is gone; -parallel still overrides it.
	if err := flag.Set("test.parallel", "32"); err != nil {
		panic(err)
	}
	os.Exit(faulty.Main(m, "conformance/stdio."))
}

// catch returns how to start an adapter, and what its environment and that of what it leaves behind contains.
func catch(t testing.TB, name string) (stdio.Command, string) {
	t.Helper()
	command, err := faulty.Command(name)
	if err != nil {
		t.Fatal(err)
	}
	mark := faulty.Mark(t.Name())
	command.Env = append(command.Env, mark, "GORACE=atexit_sleep_ms=0") // the race detector delays exits by a second
	return command, mark + "\x00"
}

// expectGone demands that no process with that environment is alive.
func expectGone(t *testing.T, mark string) {
	t.Helper()
	if !faulty.Soon(func() bool { return faulty.Processes(mark) == nil }) {
		t.Errorf("left behind: processes %v", faulty.Processes(mark))
	}
}
