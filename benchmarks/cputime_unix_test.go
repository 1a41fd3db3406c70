//go:build unix

package benchmarks_test

import (
	"os"
	"runtime"
	"syscall"
	"testing"
)

// cpuTime starts to watch the processor; the function that it returns reports the processor's time per event, of which
// an operation has so many. That is what the gate judges by: other programs can take the processor away for a while, which
// is wall time only.
func cpuTime(b *testing.B, events int) (report func()) {
	start := spent(b)
	return func() { b.ReportMetric(float64(spent(b)-start)/float64(b.N*events), "cpu-ns/event") }
}

// spent returns the nanoseconds that this process has kept a processor busy.
func spent(b *testing.B) int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

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
