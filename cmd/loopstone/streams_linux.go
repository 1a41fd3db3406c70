package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// leastAddresses is an address space in bytes that a run never fills: Go's runtime and each thread reserve up to 2 GB
// together, and use little of it. With less, no thread can be started at some moment, and Go prints pages of its state.
const leastAddresses = 4 << 30

// checkAddressSpace refuses to run where the address space is limited too much, as by ulimit -v.
func checkAddressSpace() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &limit); err != nil || limit.Cur >= leastAddresses {
		return nil
	}
	return fmt.Errorf("the address space of a process is limited to %d MB (ulimit -v), and Loopstone needs %d MB, "+
		"though it uses little of that; to limit memory, set GOMEMLIMIT, or use a cgroup", limit.Cur>>20,
		leastAddresses>>20)
}

// shells open /dev/null for writing, or for reading, and not for both.
var shells = []string{"sh", "bash", "dash", "ash", "zsh", "ksh", "fish"}

// startedWithoutOutput reports whether the program was started with descriptor 1 closed, as by >&- in a shell.
//
// Before main runs, Go opens /dev/null for reading and writing in the place of a closed descriptor. A parent may pass
// just that on purpose, as Python does for subprocess.DEVNULL. So the descriptor counts as closed only where the
// parent has none either, or is a shell, which would have opened /dev/null otherwise.
func startedWithoutOutput() bool {
	var is, null unix.Stat_t
	if unix.Fstat(1, &is) != nil || unix.Stat(os.DevNull, &null) != nil || is.Ino != null.Ino || is.Dev != null.Dev {
		return false
	}
	flags, err := unix.FcntlInt(1, unix.F_GETFL, 0)
	if err != nil || flags&unix.O_ACCMODE != unix.O_RDWR {
		return false
	}
	parent := fmt.Sprintf("/proc/%d", os.Getppid())
	switch target, err := os.Readlink(parent + "/fd/1"); {
	case errors.Is(err, fs.ErrNotExist):
		return true
	case err != nil || target == os.DevNull: // it is not ours to see, or it was passed on
		return false
	}
	name, err := os.ReadFile(parent + "/comm")
	return err == nil && slices.Contains(shells, strings.TrimSpace(string(name)))
}
