//go:build unix

package conformance_test

import (
	"flag"
	"os"
	"testing"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/testing/faultyadapter"
)

// TestMain makes this binary an adapter where its environment says so. Otherwise it runs the tests and then demands
// that nothing is left of the adapters.
func TestMain(m *testing.M) {
	breakIfAsked()
	lateIfAsked()
	trapIfAsked()
	faultyadapter.MainIfAsked(historyPort())
	// The tests with adapters wait more than they work. An error would say that the flag is gone; -parallel still
	// overrides it.
	if err := flag.Set("test.parallel", "24"); err != nil {
		panic(err)
	}
	os.Exit(faultyadapter.Main(m, "loopstone/conformance.", "conformance/stdio."))
}

// own returns how to start this binary as an adapter, with one more variable in its environment. When the test ends,
// no process of it may be alive.
func own(t *testing.T, variable string) stdio.Command {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	mark := faultyadapter.Mark(t.Name())
	t.Cleanup(func() {
		if !faultyadapter.Soon(func() bool { return faultyadapter.Processes(mark+"\x00") == nil }) {
			t.Errorf("left behind: processes %v", faultyadapter.Processes(mark+"\x00"))
		}
	})
	// The race detector delays exits by a second unless it is told not to.
	return stdio.Command{Path: self, Env: []string{variable, mark, "GORACE=atexit_sleep_ms=0"}}
}
