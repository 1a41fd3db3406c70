package main

import (
	"context"
	"fmt"
	"os"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// target is the port that a command judges: how to start it, and how to name it in a command that repeats the run.
type target struct {
	command stdio.Command
	options stdio.Options
	again   string // what follows the flags: " -- python3 port.py", or nothing for the reference
}

// targetOf returns the port that the words after the flags start. Without words it is the reference, served by this
// very program over a real pipe.
func targetOf(words []string, limits timeouts) (target, error) {
	t := target{options: stdio.Options{SuiteVersion: spec.Version, RequestTimeout: limits.request, StartTimeout: limits.start}}
	if limits.request <= 0 || limits.start <= 0 {
		return t, usagef("--timeout %s, --start-timeout %s: want more than 0", limits.request, limits.start)
	}
	if len(words) > 0 {
		t.command = stdio.Command{Path: words[0], Args: words[1:]}
		t.again = " -- " + t.command.String()
		return t, nil
	}
	self, err := os.Executable()
	if err != nil {
		return t, fmt.Errorf("find this program to serve the reference: %w", err)
	}
	t.command = stdio.Command{Path: self, Args: []string{"serve"}}
	return t, nil
}

// words returns the command as a report names it.
func (t target) words() []string {
	if t.again == "" {
		return []string{"loopstone", "serve"}
	}
	return append([]string{t.command.Path}, t.command.Args...)
}

func (t target) start(ctx context.Context) (*conformance.Adapter, error) {
	return conformance.StartAdapter(ctx, t.command, t.options)
}

func (t target) dial(ctx context.Context) (*stdio.Wire, error) {
	return stdio.OpenWire(ctx, t.command, t.options)
}
