//go:build unix

package conformance_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/conformance/stdio/zoo"
	"github.com/loopstone/loopstone/reference/history"
	"github.com/loopstone/loopstone/spec"
)

// ground marks the environment of every adapter that these tests start, so that what is left behind can be found.
const ground = "LOOPSTONE_CONFORMANCE_GROUND"

// settling is how long the end of goroutines, processes and pipes may take to show.
const settling = 2 * time.Second

// historyPort is what every adapter of these tests serves where it does not misbehave.
func historyPort() spec.Port {
	return spec.NewHost(spec.Description{Name: "zoo", Version: "1", Language: "go"}, history.Implementation())
}

// TestMain makes this binary an adapter where its environment says so. Otherwise it runs the tests and then demands
// that nothing is left of the adapters.
func TestMain(m *testing.M) {
	breakIfAsked()
	trapIfAsked()
	zoo.MainIfAsked(historyPort())
	// The tests with adapters wait more than they work. An error would say that the flag is gone; -parallel still
	// overrides it.
	if err := flag.Set("test.parallel", "24"); err != nil {
		panic(err)
	}
	before := pipesOpen()
	code := m.Run()
	if code == 0 {
		code = demandNothingLeft(before)
	}
	os.Exit(code)
}

func demandNothingLeft(pipes int) int {
	code := 0
	for what, left := range map[string]func() string{
		"goroutines": stdioGoroutines,
		"processes":  func() string { return strings.Join(alive(groundOf("")), " ") },
		"pipes": func() string {
			if now := pipesOpen(); now > pipes {
				return fmt.Sprintf("%d open, %d before", now, pipes)
			}
			return ""
		},
	} {
		if !settled(func() bool { return left() == "" }) {
			fmt.Printf("left behind: %s: %s\n", what, left())
			code = 1
		}
	}
	return code
}

// settled waits until a condition holds, for a short while.
func settled(condition func() bool) bool {
	for end := time.Now().Add(settling); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if condition() {
			return true
		}
	}
	return condition()
}

// stdioGoroutines returns the stacks of goroutines that run code of package stdio.
func stdioGoroutines() string {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	var left []string
	for _, stack := range strings.Split(string(stacks), "\n\n") {
		if strings.Contains(stack, "conformance/stdio.") {
			left = append(left, stack)
		}
	}
	return strings.Join(left, "\n\n")
}

// alive returns the ids of processes whose environment contains the text; none where there is no /proc.
func alive(text string) []string {
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

// pipesOpen counts the pipes that this process has open; 0 where there is no /proc.
func pipesOpen() int {
	n := 0
	files, _ := filepath.Glob("/proc/self/fd/*") // the pattern is well-formed
	for _, file := range files {
		if target, err := os.Readlink(file); err == nil && strings.HasPrefix(target, "pipe:") {
			n++
		}
	}
	return n
}

func groundOf(name string) string { return fmt.Sprintf("%s=%d/%s", ground, os.Getpid(), name) }

// own returns how to start this binary as an adapter, with one more variable in its environment. When the test ends,
// no process of it may be alive.
func own(t *testing.T, variable string) stdio.Command {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	mark := groundOf(t.Name())
	t.Cleanup(func() {
		if !settled(func() bool { return len(alive(mark+"\x00")) == 0 }) {
			t.Errorf("left behind: processes %v", alive(mark+"\x00"))
		}
	})
	// The race detector delays exits by a second unless it is told not to.
	return stdio.Command{Path: self, Env: []string{variable, mark, "GORACE=atexit_sleep_ms=0"}}
}

// killAlive ends processes that nobody else can end.
func killAlive(text string) {
	for _, id := range alive(text) {
		if n, err := strconv.Atoi(id); err == nil {
			_ = syscall.Kill(n, syscall.SIGKILL) // it may be gone already
		}
	}
}
