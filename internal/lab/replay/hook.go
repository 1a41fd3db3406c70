package replay

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"time"
)

const (
	mostWaiting = 100             // alarms for which no command was run yet; more are dropped, and counted
	hookTime    = time.Minute     // for one command: a hook that hangs must not keep the others back for good
	hookGrace   = 5 * time.Second // for its children to let go of its output
)

// Hook runs a command for each alarm, one after the other, with the alarm as a line of JSON in its input.
type Hook struct {
	waiting chan []byte
	done    chan struct{}
	dropped int
	say     func(string)
}

// NewHook returns a hook that hands the command to the shell. What the command prints goes to out.
func NewHook(ctx context.Context, command string, out io.Writer, say func(string)) *Hook {
	h := &Hook{waiting: make(chan []byte, mostWaiting), done: make(chan struct{}), say: say}
	go func() {
		defer close(h.done)
		for alarm := range h.waiting {
			if err := run(ctx, command, alarm, out); err != nil {
				say(fmt.Sprintf("--exec: %v", err))
			}
		}
	}()
	return h
}

// Run has the command run for an alarm.
func (h *Hook) Run(alarm []byte) {
	select {
	case h.waiting <- alarm:
	default:
		h.dropped++
	}
}

// Close waits for the commands that were begun or wait.
func (h *Hook) Close() {
	close(h.waiting)
	<-h.done
	if h.dropped > 0 {
		h.say(fmt.Sprintf("--exec: the command is slower than the alarms come; it did not run for %d alarms", h.dropped))
	}
}

func run(ctx context.Context, command string, input []byte, out io.Writer) error {
	ctx, stop := context.WithTimeout(ctx, hookTime)
	defer stop()
	words := []string{"sh", "-c", command}
	if runtime.GOOS == "windows" {
		words = []string{"cmd", "/c", command}
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = bytes.NewReader(input), out, out, hookGrace
	return cmd.Run()
}
