//go:build unix

package stdio

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// group is a process group, known by the process that leads it.
type group struct{ leader int }

// startGroup starts a process in a group of its own, so that what it leaves behind can be ended with it, and so that
// the terminal's interrupt reaches the runner alone.
func startGroup(cmd *exec.Cmd) (*group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithRunner(cmd.SysProcAttr)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &group{cmd.Process.Pid}, nil
}

// terminate asks the group to end. There is nothing to do where the group is gone.
func (g *group) terminate() { _ = syscall.Kill(-g.leader, syscall.SIGTERM) }

// kill ends the group. There is nothing to do where the group is gone.
func (g *group) kill() { _ = syscall.Kill(-g.leader, syscall.SIGKILL) }

// release has nothing to give back: a group is gone with its last process.
func (g *group) release() {}

// signalOf returns the name of the signal that ended a process, empty where none did.
func signalOf(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal().String()
	}
	return ""
}

// shortOf returns what this machine has no more of, where that is why nothing could be started; empty otherwise.
func shortOf(err error) string {
	switch {
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "open files to spare"
	case errors.Is(err, syscall.EAGAIN):
		return "processes to spare"
	case errors.Is(err, syscall.ENOMEM):
		return "memory to spare"
	default:
		return ""
	}
}

// isBeingWritten reports whether nothing could be started because somebody is writing the program's file.
func isBeingWritten(err error) bool { return errors.Is(err, syscall.ETXTBSY) }

// strays returns the living processes outside the leader's group that have the mark in their environment, as
// "process 4242 (sleep 60)". Those within the group were killed, and may take a moment to end.
func (g *group) strays(mark string) []string {
	var list []string
	folders, _ := filepath.Glob("/proc/[0-9]*") // well-formed; with a name behind it, each folder would be listed
	for _, folder := range folders {
		environment, err := os.ReadFile(filepath.Join(folder, "environ"))
		if err != nil || !slices.Contains(strings.Split(string(environment), "\x00"), mark) {
			continue
		}
		id, _ := strconv.Atoi(filepath.Base(folder)) // the pattern has seen that it is a number
		if group, err := syscall.Getpgid(id); err != nil || group == g.leader {
			continue
		}
		words, err := os.ReadFile(filepath.Join(folder, "cmdline"))
		if err != nil || len(words) == 0 { // it has ended
			continue
		}
		command := bytes.ReplaceAll(bytes.TrimRight(words, "\x00"), []byte{0}, []byte{' '})
		list = append(list, fmt.Sprintf("process %d (%s)", id, quote(command)))
	}
	return list
}
