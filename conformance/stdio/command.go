package stdio

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"github.com/loopstone/loopstone/internal/wording"
)

// Command says how to start an adapter.
type Command struct {
	Path string   // looked up in $PATH where it has no slash; a relative one is taken from Dir
	Args []string // without the name of the program
	Dir  string   // the runner's own where empty
	Env  []string // added to the runner's own environment, as NAME=value
}

// String returns the command as it would be typed, quoted where a shell would need it.
func (c Command) String() string {
	return wording.Shell(append([]string{c.Path}, c.Args...)...)
}

// markName is the variable by which what an adapter started is found, wherever it went.
const markName = "LOOPSTONE_ADAPTER"

func (c Command) prepare(mark string) *exec.Cmd {
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir = c.Dir
	cmd.Env = append(append(os.Environ(), c.Env...), mark)
	return cmd
}

// tail keeps the end of what is written to it. It never blocks and never fails, so that a talkative adapter is not
// slowed down by its own stderr.
type tail struct {
	limit int // bytes

	mu   sync.Mutex
	text []byte
	cut  bool // something was dropped
}

// Write implements [io.Writer].
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - t.limit; over > 0 {
		t.text, t.cut = slices.Delete(t.text, 0, over), true
	}
	return len(p), nil
}

// String returns the last bytes, from the beginning of a line where some were dropped.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := strings.ToValidUTF8(string(t.text), "\uFFFD")
	if _, rest, found := strings.Cut(kept, "\n"); t.cut && found && rest != "" {
		return rest
	}
	return kept
}

// lastLines returns the last n lines without white space at their end.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, " \t\r\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// Exit says how a process ended.
type Exit struct {
	Code   int    // the exit status; -1 where a signal ended it
	Signal string // the signal's name, such as "killed"; empty without one
}

// String returns, for instance, "exit status 3" or "signal killed".
func (e Exit) String() string {
	if e.Signal != "" {
		return "signal " + e.Signal
	}
	return fmt.Sprintf("exit status %d", e.Code)
}
