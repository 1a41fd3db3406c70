package replay

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"time"

	"github.com/loopstone/loopstone/internal/processgroup"
)

const (
	mostWaiting = 100                    // alarms for which no command was run yet; more are dropped, and counted
	hookTime    = time.Minute            // for one command: a hook that hangs must not keep the others back for good
	hookGrace   = 700 * time.Millisecond // for all commands together, once the user has interrupted the program
)

// Hook runs a command for each alarm, one after the other, with the alarm as a line of JSON in its input.
type Hook struct {
	waiting chan []byte
	done    chan struct{}
	dropped int // alarms that came too fast; Run counts them
	late    int // alarms whose turn did not come before the end; to be read after done
	say     func(string)
}

// NewHook returns a hook that hands the command to the shell. What the command prints goes to out. A command ends with
// all that it has started, and a moment after the context at the latest.
func NewHook(ctx context.Context, command string, out io.Writer, say func(string)) *Hook {
	h := &Hook{waiting: make(chan []byte, mostWaiting), done: make(chan struct{}), say: say}
	life, end := outliving(ctx, hookGrace)
	go func() {
		defer close(h.done)
		defer end()
		for alarm := range h.waiting {
			if life.Err() != nil {
				h.late++
			} else if err := run(life, command, alarm, out); err != nil {
				say(fmt.Sprintf("--exec: %v", err))
			}
		}
	}()
	return h
}

// outliving returns a context that ends so long after another.
func outliving(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	life, end := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(grace, func() { end(fmt.Errorf("ended: %w", context.Cause(ctx))) })
		context.AfterFunc(life, func() { timer.Stop() })
	})
	return life, func() {
		stop()
		end(nil)
	}
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
	if h.late > 0 {
		h.say(fmt.Sprintf("--exec: the command did not run for the last %d alarms", h.late))
	}
}

func run(ctx context.Context, command string, input []byte, out io.Writer) error {
	ctx, stop := context.WithTimeoutCause(ctx, hookTime, fmt.Errorf("ended: it took more than %s", hookTime))
	defer stop()
	words := []string{"sh", "-c", command}
	if runtime.GOOS == "windows" {
		words = []string{"cmd", "/c", command}
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), out, out
	return processgroup.Run(ctx, cmd)
}
