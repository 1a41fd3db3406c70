//go:build unix

package stdio_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/conformance/stdio/zoo"
)

// ground marks the environment of every process that the tests start, so that those left behind can be found.
const ground = "LOOPSTONE_ZOO_GROUND"

// settleTime is how long the end of goroutines, processes and pipes may take to show.
const settleTime = 2 * time.Second

// TestMain makes this binary the adapter under test where the environment says so. Otherwise it runs the tests and
// then demands that nothing is left of all the adapters: no goroutine, no process, no pipe.
func TestMain(m *testing.M) {
	switch os.Getenv(zoo.Env) {
	case "echo":
		echo()
	default:
		zoo.MainIfAsked(zoo.Port())
	}
	// These tests wait more than they work. An error would say that the flag is gone; -parallel still overrides it.
	if err := flag.Set("test.parallel", "32"); err != nil {
		panic(err)
	}
	before := openPipes()
	code := m.Run()
	if code == 0 {
		code = leftovers(before)
	}
	os.Exit(code)
}

func leftovers(pipes int) int {
	code := 0
	expectSoon := func(what string, problem func() string) {
		if text := problem(); !soon(func() bool { text = problem(); return text == "" }) {
			fmt.Printf("left behind: %s: %s\n", what, text)
			code = 1
		}
	}
	expectSoon("goroutines", ourGoroutines)
	expectSoon("processes", func() string { return strings.Join(processes(fmt.Sprintf("%s=%d/", ground, os.Getpid())), " ") })
	expectSoon("pipes", func() string {
		if now := openPipes(); now > pipes {
			return fmt.Sprintf("%d open, %d before", now, pipes)
		}
		return ""
	})
	return code
}

// soon waits until a condition holds, for a short while.
func soon(condition func() bool) bool {
	for end := time.Now().Add(settleTime); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if condition() {
			return true
		}
	}
	return condition()
}

// ourGoroutines returns the stacks of goroutines that run code of package stdio.
func ourGoroutines() string {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	var ours []string
	for _, stack := range strings.Split(string(stacks), "\n\n") {
		if strings.Contains(stack, "conformance/stdio.") {
			ours = append(ours, stack)
		}
	}
	return strings.Join(ours, "\n\n")
}

// processes returns the ids of living processes whose environment contains the text. Where there is no /proc, it finds
// none.
func processes(text string) []string {
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

// openPipes counts the pipes that this process has open; 0 where there is no /proc.
func openPipes() int {
	n := 0
	files, _ := filepath.Glob("/proc/self/fd/*") // the pattern is well-formed
	for _, file := range files {
		if target, err := os.Readlink(file); err == nil && strings.HasPrefix(target, "pipe:") {
			n++
		}
	}
	return n
}

// catch returns how to start an animal, and what its environment and that of what it leaves behind contains.
func catch(t testing.TB, name string) (stdio.Command, string) {
	t.Helper()
	command, err := zoo.Command(name)
	if err != nil {
		t.Fatal(err)
	}
	mark := fmt.Sprintf("%s=%d/%s", ground, os.Getpid(), t.Name())
	command.Env = append(command.Env, mark, "GORACE=atexit_sleep_ms=0") // the race detector delays exits by a second
	return command, mark + "\x00"
}

// expectGone demands that no process with that environment is alive.
func expectGone(t *testing.T, mark string) {
	t.Helper()
	if !soon(func() bool { return len(processes(mark)) == 0 }) {
		t.Errorf("left behind: processes %v", processes(mark))
	}
}
