//go:build unix

package stdio

import (
	"testing"
	"time"
)

// TestAProcessIsStoppedAsGentlyAsItLetsItself: first by the end of its input, then by SIGTERM, then by SIGKILL.
func TestAProcessIsStoppedAsGentlyAsItLetsItself(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]Exit{
		"cat": {},
		"trap 'exit 7' TERM; echo; while :; do sleep 0.01; done": {Code: 7},
		"trap '' TERM; echo; while :; do sleep 0.01; done":       {Code: -1, Signal: "killed"},
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			limits := Options{StopTimeout: 3 * time.Second} // a trap must have its say on a busy machine
			if want.Signal != "" {
				limits.StopTimeout = 200 * time.Millisecond
			}
			wire, err := OpenWire(t.Context(), Command{Path: "sh", Args: []string{"-c", script}}, limits)
			if err != nil {
				t.Fatal(err)
			}
			defer wire.Close()
			if want != (Exit{}) { // then its trap is set
				if _, err := wire.Receive(time.Minute); err != nil {
					t.Fatal(err)
				}
			}
			if _, ended := wire.process.stop(wire.process.options.StopTimeout); !ended || wire.process.exit != want {
				t.Errorf("ended: %t, with %s, want %s", ended, wire.process.exit, want)
			}
		})
	}
}

// stubborn is a port of nothing but its description, that heeds neither shutdown nor the end of its input nor SIGTERM.
const stubborn = `trap '' TERM
read line
echo '{"jsonrpc":"2.0","id":1001,"result":{"protocol":1,"name":"x","version":"1","language":"sh","detectors":[]}}'
while :; do sleep 0.01; done`

// TestAStubbornPortIsWaitedForOnce: once a process has outlived the end of its input, the next ones are given a part of
// the time before they are killed.
func TestAStubbornPortIsWaitedForOnce(t *testing.T) {
	t.Parallel()
	const limit = 3 * time.Second // each process gets it three times, but for those after the first
	command := Command{Path: "sh", Args: []string{"-c", stubborn}}
	adapter, err := StartAdapter(t.Context(), command, Options{StartTimeout: time.Minute, StopTimeout: limit})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	for range 2 {
		if err := adapter.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	adapter.Close()
	if waited := time.Since(start); waited >= 7*limit {
		t.Errorf("three processes are waited for %s, want 3 x %s for the first, and little more", waited, limit)
	}
}
