//go:build unix

package files

import (
	"os"

	"golang.org/x/sys/unix"
)

// inherited reports whether the process was started with that descriptor. Those that Go opens itself are closed when a
// program is started, and so carry a flag.
func inherited(number int) bool {
	flags, err := unix.FcntlInt(uintptr(number), unix.F_GETFD, 0)
	return err == nil && flags&unix.FD_CLOEXEC == 0
}

// duplicate returns the file behind a descriptor, with its position and its flags: what is appended to stays so.
// Closing it leaves the descriptor open.
func duplicate(number int) (*os.File, error) {
	second, err := unix.FcntlInt(uintptr(number), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	return os.NewFile(uintptr(second), "descriptor"), nil
}
