//go:build unix

package faultyadapter

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// idle waits until it is told to end; its name is what is looked for.
func idle(end chan struct{}) { <-end }

// TestWhatIsLeftIsFound shows that the check can fail, in every way, and does not go on failing.
func TestWhatIsLeftIsFound(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("there is no /proc")
	}
	tests := []struct {
		what, words string
		leave       func(t *testing.T) (takeAway func())
	}{
		{"a goroutine", "faultyadapter.idle", func(*testing.T) func() {
			end := make(chan struct{})
			go idle(end)
			return func() { close(end) }
		}},
		{"a process", "process ", func(t *testing.T) func() {
			command := exec.Command("sleep", "60")
			command.Env = append(os.Environ(), Mark(t.Name()))
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			return func() {
				Kill(Mark(t.Name()) + "\x00")
				_ = command.Wait() // it was killed
			}
		}},
		{"a pipe", "open file pipe:", func(t *testing.T) func() {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			return func() { r.Close(); w.Close() }
		}},
	}
	for _, test := range tests {
		t.Run(test.what, func(t *testing.T) {
			code, before := []string{"faultyadapter.idle"}, openFiles()
			if all := left(code, before); all != nil {
				t.Fatalf("there was something before: %q", all)
			}
			takeAway := test.leave(t)
			found := Soon(func() bool {
				return slices.ContainsFunc(left(code, before), func(line string) bool { return strings.Contains(line, test.words) })
			})
			takeAway()
			if !found {
				t.Errorf("nothing is found that has %q in it", test.words)
			}
			if !Soon(func() bool { return left(code, before) == nil }) {
				t.Errorf("found what is gone: %q", left(code, before))
			}
		})
	}
}
