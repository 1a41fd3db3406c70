//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakMemory returns the most memory that a process and those that it waited for had at once, in bytes.
func peakMemory(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	switch {
	case !ok:
		return 0
	case runtime.GOOS == "darwin": // all others count in kilobytes
		return int64(usage.Maxrss)
	default:
		return int64(usage.Maxrss) << 10
	}
}
