package stdio

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"

	"github.com/loopstone/loopstone/spec"
)

// child is a process of its own.
type child struct{ cmd *exec.Cmd }

// wait needs no error of Wait: the state says how the process ended, and the pipes are ours.
func (c child) wait() Exit {
	_ = c.cmd.Wait()
	return exitOf(c.cmd.ProcessState)
}

func (c child) terminate() { terminateGroup(c.cmd.Process) }

func (c child) kill() { killGroup(c.cmd.Process) }

// guest is a port that is served by a goroutine of this process. It behaves as a process would: what it has to say is
// on its stderr, and a panic ends nothing but the guest.
type guest struct {
	input, output *os.File
	cancel        context.CancelFunc
	ended         chan Exit // receives once
}

func newGuest(ctx context.Context, port spec.Port, input, output *os.File, stderr *tail) *guest {
	ctx, cancel := context.WithCancel(ctx)
	g := &guest{input: input, output: output, cancel: cancel, ended: make(chan Exit, 1)}
	go func() {
		exit := g.serve(ctx, port, stderr)
		g.kill() // as the end of a process does, it closes the pipes
		g.ended <- exit
	}()
	return g
}

// serve returns the exit status that a process would have: 0, 1 after an error, 2 after a panic.
func (g *guest) serve(ctx context.Context, port spec.Port, stderr *tail) (exit Exit) {
	defer func() {
		if cause := recover(); cause != nil {
			fmt.Fprintf(stderr, "panic: %v\n\n%s", cause, debug.Stack())
			exit = Exit{Code: 2}
		}
	}()
	if err := Serve(ctx, port, g.input, g.output); err != nil {
		fmt.Fprintln(stderr, err)
		return Exit{Code: 1}
	}
	return Exit{}
}

func (g *guest) wait() Exit { return <-g.ended }

// terminate lets the port notice that nobody wants its answer any more.
func (g *guest) terminate() { g.cancel() }

func (g *guest) kill() {
	g.cancel()
	closeAll(g.input, g.output)
}
