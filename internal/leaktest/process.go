//go:build unix

package leaktest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// Mark returns a variable for the environment of a process that a test of that name starts, by which the process and
// those that it leaves behind can be found. The mark of no name is the beginning of all of this binary's marks.
func Mark(test string) string { return fmt.Sprintf("LOOPSTONE_GROUND=%d/%s", os.Getpid(), test) }

// Processes returns the ids of living processes whose environment contains the text. To find those of one test, end its
// mark with a zero byte, since the name of another may begin with its name.
func Processes(text string) []string {
	var ids []string
	environments, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is well-formed
	for _, file := range environments {
		environment, err := os.ReadFile(file)
		if err == nil && bytes.Contains(environment, []byte(text)) {
			ids = append(ids, filepath.Base(filepath.Dir(file)))
		}
	}
	return ids
}

// Kill ends the processes whose environment contains the text, which nobody else can end.
func Kill(text string) {
	for _, id := range Processes(text) {
		if n, err := strconv.Atoi(id); err == nil {
			_ = syscall.Kill(n, syscall.SIGKILL) // it may be gone already
		}
	}
}
