// Package leaktest finds what a test binary leaves behind: goroutines, processes, open files, and files in the
// temporary folder. A runner that leaks one of them per case brings down the machine of whoever runs it all day.
//
// Processes and open files are found through /proc; where there is none, nothing is found of these. Windows has another
// variable for the temporary folder, so that nothing is found of its files there.
package leaktest

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
var settling = 20 * time.Second

// Soon waits until a condition holds, for a short while, and reports whether it does.
func Soon(condition func() bool) bool {
	for end := time.Now().Add(settling); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if condition() {
			return true
		}
	}
	return condition()
}

// Main runs the tests of a binary, and then demands that nothing is left of them: no goroutine that runs code whose
// name contains one of the texts, no process with a [Mark], no open file, no file in the temporary folder. It returns
// the exit code, which is 1 where something is left.
func Main(m *testing.M, code ...string) int {
	if slices.Contains(os.Args, "-test.fuzzworker") {
		return m.Run() // one of many that go test -fuzz starts and kills; the one that starts them is watched
	}
	g, err := watch(code...)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	defer g.leave()
	if exit := m.Run(); exit != 0 {
		return exit
	}
	if Soon(func() bool { return g.left() == nil }) {
		return 0
	}
	for _, line := range g.left() {
		fmt.Println("left behind:", line)
	}
	return 1
}

// ground is where the tests of a binary take place, from [watch] on.
type ground struct {
	code   []string       // what the names of the functions contain whose goroutines are looked for
	folder string         // the temporary folder of the tests and of all processes that they start
	usual  string         // the one before
	before map[string]int // the files that were open, by name
}

// watch notes what is there, and gives the tests a temporary folder of their own.
func watch(code ...string) (*ground, error) {
	g := &ground{code: code, usual: os.Getenv(temporary), before: openFiles()}
	var err error
	if g.folder, err = os.MkdirTemp("", "leaktest-"); err != nil {
		return nil, fmt.Errorf("make a temporary folder for the tests: %w", err)
	}
	if err := os.Setenv(temporary, g.folder); err != nil {
		return nil, fmt.Errorf("make %s the temporary folder: %w", g.folder, err)
	}
	return g, nil
}

// temporary is the variable that names the folder for temporary files.
const temporary = "TMPDIR"

// leave removes the temporary folder with all that is left in it.
func (g *ground) leave() {
	_ = os.Setenv(temporary, g.usual) // it was set before, so that it can be set
	if err := os.RemoveAll(g.folder); err != nil {
		fmt.Println(err)
	}
}

// left returns what is there and was not when the watch began, one line each; nil where that is nothing.
func (g *ground) left() []string {
	return slices.Concat(g.goroutines(), g.processes(), g.open(), g.files())
}

// goroutines returns the stacks of goroutines that run the code.
func (g *ground) goroutines() []string {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	var left []string
	for _, stack := range strings.Split(string(stacks), "\n\n") {
		if slices.ContainsFunc(g.code, func(code string) bool { return strings.Contains(stack, code) }) {
			left = append(left, stack)
		}
	}
	return left
}

func (g *ground) processes() []string {
	var left []string
	for _, id := range Processes(Mark("")) {
		left = append(left, "process "+id)
	}
	return left
}

// open returns the files that are open more often than before.
func (g *ground) open() []string {
	var left []string
	now := openFiles()
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if more := now[name] - g.before[name]; more > 0 {
			left = append(left, fmt.Sprintf("open file %s, %d times", name, more))
		}
	}
	return left
}

// openFiles counts the files, pipes and sockets that this process has open, by name. What the runtime needs for itself
// when it first waits for a pipe is left out.
func openFiles() map[string]int {
	names := map[string]int{}
	descriptors, _ := filepath.Glob("/proc/self/fd/*") // the pattern is well-formed
	for _, descriptor := range descriptors {
		name, err := os.Readlink(descriptor)
		ours := err == nil && name != "anon_inode:[eventpoll]" && name != "anon_inode:[eventfd]"
		if ours {
			names[name]++
		}
	}
	return names
}

// files returns what lies in the temporary folder.
func (g *ground) files() []string {
	entries, err := os.ReadDir(g.folder)
	if err != nil {
		return []string{err.Error()}
	}
	var left []string
	for _, entry := range entries {
		left = append(left, "temporary file "+filepath.Join(g.folder, entry.Name()))
	}
	return left
}

// Mark returns a variable for the environment of a process that a test of that name starts, by which the process and
// those that it leaves behind can be found. The mark of no name is the beginning of all of this binary's marks.
func Mark(test string) string { return fmt.Sprintf("LOOPSTONE_GROUND=%d/%s", os.Getpid(), test) }

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
		n, err := strconv.Atoi(id)
		if err != nil {
			continue
		}
		if process, err := os.FindProcess(n); err == nil {
			_ = process.Kill() // it may be gone already
		}
	}
}
