package main

import (
	"runtime/debug"
	"testing"
)

// Lines of 16 MiB from an adapter made a heap of 1.2 GB without a limit.
func TestTheHeapHasALimitUnlessTheEnvironmentSetsOne(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1)
	t.Cleanup(func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	})
	t.Setenv("GOMEMLIMIT", "1GiB")
	setCollector(heapLimit)
	if now := debug.SetMemoryLimit(-1); now != limit {
		t.Errorf("the limit of the environment became %d", now)
	}
	t.Setenv("GOMEMLIMIT", "")
	setCollector(heapLimit)
	if now := debug.SetMemoryLimit(-1); now != heapLimit {
		t.Errorf("the limit is %d, want %d", now, heapLimit)
	}
}
