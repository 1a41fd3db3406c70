package benchmarks_test

import (
	"fmt"
	"testing"

	"github.com/loopstone/loopstone/internal/suite/bench"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// BenchmarkGrowth measures what an event of a trace costs each detector, by the length of the trace: a session observes
// the everyday workload from its beginning. The cost must not depend on the length (PR-36). A short trace may cost less,
// since no window is full yet.
func BenchmarkGrowth(b *testing.B) {
	for _, impl := range reference.Implementations() {
		for _, reading := range impl.Readings {
			w := everyday(b, impl.Detector)
			for _, events := range []int{100, 1_000, 10_000} {
				name := fmt.Sprintf("detector=%s/reading=%s/events=%d", impl.Detector, reading, events)
				b.Run(name, func(b *testing.B) { growth(b, impl, reading, w, events) })
			}
		}
	}
}

// growth observes so many events of a workload, in a session of its own each time.
func growth(b *testing.B, impl spec.Implementation, reading spec.Reading, w bench.Workload, events int) {
	trace := decode(b, w.Events(0, events))
	defer cpuTime(b, events)()
	for b.Loop() {
		detector, err := impl.New(reading, spec.Value{})
		if err != nil {
			b.Fatal(err)
		}
		for _, e := range trace {
			detector.Observe(e)
		}
	}
}
