//go:build unix

package stdio

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup gives the process a group of its own, so that what it leaves behind can be ended with it, and so that the
// terminal's interrupt reaches the runner alone.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// terminateGroup asks the process's group to end. There is nothing to do where the group is gone.
func terminateGroup(leader *os.Process) { _ = syscall.Kill(-leader.Pid, syscall.SIGTERM) }

// killGroup ends the process's group. There is nothing to do where the group is gone.
func killGroup(leader *os.Process) { _ = syscall.Kill(-leader.Pid, syscall.SIGKILL) }

// signalOf returns the name of the signal that ended a process, empty where none did.
func signalOf(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal().String()
	}
	return ""
}
