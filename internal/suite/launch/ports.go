// Package launch starts the ports that a command works with, and ends them with it: one port, or an old one and a new
// one. How a process is asked is in conformance/stdio, and how it ends in internal/processgroup.
package launch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// Target says how a port is started.
type Target struct {
	Command stdio.Command
	Options stdio.Options
}

// Dial opens a bare connection to another process of the port.
func (t Target) Dial(ctx context.Context) (*stdio.Wire, error) {
	return stdio.OpenWire(ctx, t.Command, t.Options)
}

// Port is a port that was started.
type Port struct {
	*stdio.Adapter
	Description spec.Description // by the port itself
	Target      Target
}

// Group is the ports that a command has started, and the processes that these left behind, out of reach.
type Group struct {
	mu      sync.Mutex // guards what follows: adapters start and end side by side
	started []*stdio.Adapter
	strays  []string
}

// Start starts a port and asks it to describe itself. A check that is not nil rejects descriptions that it does not
// accept. An error says whose fault it is, with the last lines that the adapter wrote.
func (g *Group) Start(ctx context.Context, t Target, check func(spec.Description) error) (Port, error) {
	t.Options.Left = g.Left
	port := Port{Target: t}
	var err error
	port.Adapter, err = stdio.StartAdapter(ctx, t.Command, t.Options)
	err = WithStandardError(err)
	if err == nil {
		g.add(port.Adapter)
		port.Description, err = port.Describe(ctx)
	}
	if err == nil && check != nil {
		err = check(port.Description)
	}
	if err != nil && conformance.OutcomeOf(err) != conformance.NotDecided {
		err = fmt.Errorf("the adapter is at fault: %w", err)
	}
	return port, err
}

// WithStandardError adds to the error of a port that ended the last lines that it wrote, unless they are there already.
func WithStandardError(err error) error {
	gone, ok := errors.AsType[*stdio.ProcessError](err)
	if !ok || gone.Stderr == "" || strings.Contains(err.Error(), indented(gone.Stderr)) {
		return err
	}
	return fmt.Errorf("%w\n  standard error:\n%s", err, indented(gone.Stderr))
}

func indented(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}

func (g *Group) add(adapter *stdio.Adapter) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.started = append(g.started, adapter)
}

// Left notes a process that a port left behind.
func (g *Group) Left(process string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.strays = append(g.strays, process)
}

// End ends all ports, side by side, since each may take its time. It returns the processes that they left behind.
func (g *Group) End() (strays []string) {
	var ends sync.WaitGroup
	for _, adapter := range g.started {
		ends.Go(adapter.Close)
	}
	ends.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.strays
}
