package benchmarks_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/loopstone/loopstone/internal/suite/bench"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// BenchmarkObserve measures what one event costs a detector of the reference: decoded events, no pipe, no JSON.
func BenchmarkObserve(b *testing.B) {
	for _, impl := range reference.Implementations() {
		for _, reading := range impl.Readings {
			set, err := bench.For(impl.Detector)
			if err != nil {
				b.Fatal(err)
			}
			for _, w := range set.Workloads {
				name := fmt.Sprintf("detector=%s/reading=%s/workload=%s", impl.Detector, reading, w.Name)
				b.Run(name, func(b *testing.B) { observe(b, impl, reading, w) })
			}
		}
	}
}

func observe(b *testing.B, impl spec.Implementation, reading spec.Reading, w bench.Workload) {
	detector, err := impl.New(reading, spec.Value{})
	if err != nil {
		b.Fatal(err)
	}
	ring := decode(b, w.Ring())
	for i := range w.Before {
		detector.Observe(decode(b, w.Events(i, 1))[0])
	}
	warmUp(detector, ring)
	index, at := w.Before+len(ring), 0
	b.ReportAllocs()
	defer cpuTime(b, 1)()
	for b.Loop() {
		event := ring[at]
		event.Index = index
		detector.Observe(event)
		index++
		if at++; at == len(ring) {
			at = 0
		}
	}
}

// warmUp fills windows and grows buffers before the clock starts, but takes no longer than a second.
func warmUp(detector spec.Detector, ring []spec.Event) {
	for start, i := time.Now(), 0; i < len(ring) && time.Since(start) < time.Second; i++ {
		detector.Observe(ring[i])
	}
}

func decode(t testing.TB, values []spec.Value) []spec.Event {
	t.Helper()
	events := make([]spec.Event, len(values))
	for i, v := range values {
		event, err := spec.DecodeEvent(v)
		if err != nil {
			t.Fatal(err)
		}
		event.Index = i
		events[i] = event
	}
	return events
}
