//go:build unix

package processgroup

import (
	"os/exec"
	"syscall"
)

// Group is a process group, known by the process that leads it.
type Group struct{ leader int }

func start(cmd *exec.Cmd) (*Group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithRunner(cmd.SysProcAttr)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &Group{cmd.Process.Pid}, nil
}

// Leader returns the number of the process that was started.
func (g *Group) Leader() int { return g.leader }

// Terminate asks the group to end. There is nothing to do where the group is gone.
func (g *Group) Terminate() { _ = syscall.Kill(-g.leader, syscall.SIGTERM) }

// Kill ends the group. There is nothing to do where the group is gone.
func (g *Group) Kill() { _ = syscall.Kill(-g.leader, syscall.SIGKILL) }

// release has nothing to give back: a group is gone with its last process.
func (g *Group) release() {}
