//go:build !unix

package benchmarks_test

import (
	"os"
	"testing"
)

// cpuTime reports nothing where the operating system is not asked: wall time alone is judged.
func cpuTime(*testing.B, int) (report func()) { return func() {} }

// peakMemory is not told here.
func peakMemory(*os.ProcessState) int64 { return 0 }
