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
			if ended := wire.process.stop(); !ended || wire.process.exit != want {
				t.Errorf("ended: %t, with %s, want %s", ended, wire.process.exit, want)
			}
		})
	}
}
