package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestTheRunnerOfTheExport: the program in README.md of an export runs the cases that lie beside it, as they stand there.
func TestTheRunnerOfTheExport(t *testing.T) {
	long(t, "it starts runners")
	t.Parallel()
	history := read(t, filepath.Join(kit(t), "history.py"))
	const detector = "import loopstone\nfrom history import History\n\n\nclass Detector(History):\n" +
		"    def __init__(self, config):\n        super().__init__(\"code\", config)\n\n" +
		"    def observe(self, event):\n        loopstone.check_event(event)\n        return super().observe(event)\n"
	for _, test := range []struct {
		reason, sound, fault string
		exit                 conformance.Outcome
		says                 string
	}{
		{"a detector that conforms", "", "", 0, " cases passed, "},
		{"one that keeps a call too many", "len(self.window) == self.size", "len(self.window) > self.size", 1, "history-window-forgets-before-judging: wrong after step"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), "vectors")
			succeed(t, "export", folder)
			runners := blocksOf("python", read(t, filepath.Join(folder, "README.md")))
			if len(runners) != 1 {
				t.Fatalf("README.md has %d runners", len(runners))
			}
			if test.sound != "" && !strings.Contains(history, test.sound) {
				t.Fatalf("%q is not in the detector", test.sound)
			}
			write(t, folder, "run.py", runners[0])
			write(t, folder, "my_detector.py", detector)
			write(t, folder, "loopstone.py", read(t, filepath.Join(kit(t), "loopstone.py")))
			write(t, folder, "history.py", strings.ReplaceAll(history, test.sound, test.fault))
			command := exec.Command("python3", "run.py")
			command.Dir = folder
			out, exit := ended(t, command)
			if exit != test.exit || !strings.Contains(out, test.says) || strings.HasPrefix(out, "0 of") {
				t.Errorf("exit %d, want %d and %q in\n%s", exit, test.exit, test.says, out)
			}
		})
	}
}
