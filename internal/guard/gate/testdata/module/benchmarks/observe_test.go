package benchmarks

import (
	"syscall"
	"testing"
)

// What the gate's test changes.
const (
	steps       = 1000
	allocations = 1
)

var (
	sum  int
	sink *[64]byte
)

func BenchmarkObserve(b *testing.B) {
	start := spent()
	for b.Loop() {
		for i := range steps {
			sum = sum*31 + i
		}
		for range allocations {
			sink = new([64]byte)
		}
	}
	b.ReportMetric(float64(spent()-start)/float64(b.N), "cpu-ns/event")
}

func spent() int64 {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return usage.Utime.Nano() + usage.Stime.Nano()
}
