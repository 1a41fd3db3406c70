package stdio

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// strays returns nothing: no process can leave a job that does not allow it.
func strays(int, string) []string { return nil }

// signalOf returns nothing: there are no signals here, and the exit status says all there is to say.
func signalOf(*os.ProcessState) string { return "" }

// isBeingWritten reports nothing here: who writes a program is not told apart.
func isBeingWritten(error) bool { return false }

// shortage returns what this machine has no more of, where that is why nothing could be started; empty otherwise.
func shortage(err error) string {
	switch {
	case errors.Is(err, windows.ERROR_TOO_MANY_OPEN_FILES):
		return noMore + "open files to spare"
	case errors.Is(err, windows.ERROR_NOT_ENOUGH_MEMORY), errors.Is(err, windows.ERROR_COMMITMENT_LIMIT):
		return noMore + "memory to spare"
	case errors.Is(err, windows.ERROR_NO_SYSTEM_RESOURCES):
		return noMore + "processes to spare"
	default:
		return ""
	}
}
