package faultyadapter

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// settling is how long the end of goroutines, processes and pipes may take to show on a busy machine.
const settling = 20 * time.Second

// Soon waits until a condition holds, for a short while, and reports whether it does.
func Soon(condition func() bool) bool {
	for end := time.Now().Add(settling); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if condition() {
			return true
		}
	}
	return condition()
}

// Main runs the tests of a binary, and then demands that nothing is left of the adapters that they started: no
// goroutine that runs code whose name contains one of the texts, no process with a [Mark], no open file. It returns the
// exit code, which is 1 where something is left: a runner that leaks one of them per case brings down the machine of
// whoever runs it all day. Processes and open files are found through /proc; where there is none, nothing is found of
// these.
func Main(m *testing.M, code ...string) int {
	before := openFiles()
	exit := m.Run()
	if exit != 0 || Soon(func() bool { return left(code, before) == nil }) {
		return exit
	}
	fmt.Println("left behind:", strings.Join(left(code, before), "\n"))
	return 1
}

// left returns the goroutines that run the code, the processes that have a mark of this binary, and the files that are
// open more often than before, one line each; nil where there are none.
func left(code []string, before map[string]int) (all []string) {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	for _, stack := range strings.Split(string(stacks), "\n\n") {
		if slices.ContainsFunc(code, func(code string) bool { return strings.Contains(stack, code) }) {
			all = append(all, stack)
		}
	}
	for _, id := range Processes(Mark("")) {
		all = append(all, "process "+id)
	}
	now := openFiles()
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if more := now[name] - before[name]; more > 0 {
			all = append(all, fmt.Sprintf("open file %s, %d times", name, more))
		}
	}
	return all
}

// openFiles counts the files, pipes and sockets that this process has open, by name. What the runtime needs for itself
// when it first waits for a pipe is left out.
func openFiles() map[string]int {
	names := map[string]int{}
	descriptors, _ := filepath.Glob("/proc/self/fd/*") // the pattern is well-formed
	for _, descriptor := range descriptors {
		name, err := os.Readlink(descriptor)
		if err == nil && name != "anon_inode:[eventpoll]" && name != "anon_inode:[eventfd]" {
			names[name]++
		}
	}
	return names
}

// Mark returns a variable for the environment of a process that a test of that name starts, by which the process and
// those that it leaves behind can be found. The mark of no name is the beginning of all of this binary's marks.
func Mark(test string) string { return fmt.Sprintf("LOOPSTONE_STARTED_BY=%d/%s", os.Getpid(), test) }

// Processes returns the ids of living processes whose environment contains the text. To find those of one test, end its
// mark with a zero byte, since the name of another may begin with its name.
func Processes(text string) []string {
	var ids []string
	folders, _ := filepath.Glob("/proc/[0-9]*") // well-formed; with a name behind it, each folder would be listed
	for _, folder := range folders {
		environment, err := os.ReadFile(filepath.Join(folder, "environ"))
		if err == nil && bytes.Contains(environment, []byte(text)) {
			ids = append(ids, filepath.Base(folder))
		}
	}
	return ids
}

// Kill ends the processes whose environment contains the text, which nobody else can end.
func Kill(text string) {
	for _, id := range Processes(text) {
		if n, err := strconv.Atoi(id); err == nil {
			if process, err := os.FindProcess(n); err == nil {
				_ = process.Kill() // it may be gone already
			}
		}
	}
}
