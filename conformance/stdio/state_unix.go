//go:build unix

package stdio

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// signalOf returns the name of the signal that ended a process, empty where none did.
func signalOf(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal().String()
	}
	return ""
}

// shortage returns what this machine has no more of, where that is why nothing could be started; empty otherwise.
func shortage(err error) string {
	switch {
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return noMore + "open files to spare"
	case errors.Is(err, syscall.EAGAIN):
		return noMore + "processes to spare"
	case errors.Is(err, syscall.ENOMEM):
		return noMore + "memory to spare"
	default:
		return ""
	}
}

// isBeingWritten reports whether nothing could be started because somebody is writing the program's file.
func isBeingWritten(err error) bool { return errors.Is(err, syscall.ETXTBSY) }

// strays returns the living processes outside the leader's group that have the mark in their environment, as
// "process 4242 (sleep 60)". Those within the group were killed, and may take a moment to end.
func strays(leader int, mark string) []string {
	var list []string
	folders, _ := filepath.Glob("/proc/[0-9]*") // well-formed; with a name behind it, each folder would be listed
	for _, folder := range folders {
		environment, err := os.ReadFile(filepath.Join(folder, "environ"))
		if err != nil || !slices.Contains(strings.Split(string(environment), "\x00"), mark) {
			continue
		}
		id, _ := strconv.Atoi(filepath.Base(folder)) // the pattern has seen that it is a number
		if group, err := syscall.Getpgid(id); err != nil || group == leader {
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
