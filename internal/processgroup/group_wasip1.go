package processgroup

import (
	"errors"
	"os/exec"
)

// Group stands for a process; under WASI there is none.
type Group struct{}

// errNoProcesses is why nothing starts.
var errNoProcesses = errors.New("under WASI, no program can start another")

func start(*exec.Cmd) (*Group, error) { return nil, errNoProcesses }

// Leader returns no number.
func (g *Group) Leader() int { return 0 }

// Terminate has nothing to end.
func (g *Group) Terminate() {}

// Kill has nothing to end.
func (g *Group) Kill() {}

func (g *Group) release() {}

// IsStopped is never true.
func (g *Group) IsStopped() bool { return false }
