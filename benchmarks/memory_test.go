package benchmarks_test

import (
	"flag"
	"runtime"
	"testing"

	"github.com/loopstone/loopstone/internal/suite/bench"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/reference/fast/composed"
	"github.com/loopstone/loopstone/spec"
)

// The limits on the memory of one session, whatever it has observed.
const (
	mostMemory = 50 << 20
	mostGrowth = 1 << 20 // from so many events to twice as many
)

var memoryEvents = flag.Int("memory-events", 20_000,
	"how many events TestMemoryOfASessionIsBounded feeds to each session; 10000000 is the full run")

// TestMemoryOfASessionIsBounded feeds a session, looks at the memory in use, feeds it as many events again and looks
// again: it must be small, and stay the same. The full run is
//
//	go test ./benchmarks -run TestMemoryOfASessionIsBounded -memory-events 10000000 -timeout 30m -v
func TestMemoryOfASessionIsBounded(t *testing.T) { // not parallel: the heap belongs to all
	for _, impl := range reference.Implementations() {
		for _, reading := range impl.Readings {
			t.Run(string(impl.Detector)+"/"+string(reading), func(t *testing.T) {
				detector, err := impl.New(reading, spec.Value{})
				if err != nil {
					t.Fatal(err)
				}
				ring := decode(t, everyday(t, impl.Detector).Ring())
				empty := heapInUse()
				feed(detector, ring, 0, *memoryEvents/2)
				half := heapInUse() - empty
				feed(detector, ring, *memoryEvents/2, *memoryEvents)
				whole := heapInUse() - empty
				runtime.KeepAlive(detector)
				runtime.KeepAlive(ring)
				t.Logf("%d events: %.2f MB, %d events: %.2f MB", *memoryEvents/2, megabytes(half), *memoryEvents, megabytes(whole))
				if whole > mostMemory || whole-half > mostGrowth {
					t.Errorf("%.1f MB after %d events, %.1f MB after half of them", megabytes(whole), *memoryEvents, megabytes(half))
				}
			})
		}
	}
}

// mostOfAProfile is the most bytes that a session of a profile of composed may keep after a usual run of an agent: 1000 sessions at
// once then take 40 MB.
const mostOfAProfile = 40 << 10

func TestMemoryOfAProfileIsSmall(t *testing.T) { // not parallel: the heap belongs to all
	const sessions, events = 50, 300
	profiles, err := profile.All()
	if err != nil {
		t.Fatal(err)
	}
	ring := decode(t, everyday(t, spec.Composed).Ring())
	for _, p := range profiles {
		if p.ID().Row() != spec.Composed {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			open := make([]spec.Detector, sessions)
			empty := heapInUse()
			for i := range open {
				if open[i], err = composed.Implementation().New(spec.Code, p.Config()); err != nil {
					t.Fatal(err)
				}
				feed(open[i], ring, 0, events)
			}
			each := (heapInUse() - empty) / sessions
			runtime.KeepAlive(open)
			t.Logf("%d events: %d bytes", events, each)
			if each > mostOfAProfile {
				t.Errorf("a session keeps %d bytes, want at most %d", each, mostOfAProfile)
			}
		})
	}
}

// everyday returns a workload without long loops, whose windows change all the time.
func everyday(t testing.TB, id spec.DetectorID) bench.Workload {
	t.Helper()
	set, err := bench.For(id)
	if err != nil {
		t.Fatal(err)
	}
	w, err := bench.Find(id, set.Everyday)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func feed(detector spec.Detector, ring []spec.Event, from, to int) {
	for i := from; i < to; i++ {
		event := ring[i%len(ring)]
		event.Index = i
		detector.Observe(event)
	}
}

// heapInUse returns the bytes that live objects take.
func heapInUse() int64 {
	runtime.GC()
	runtime.GC() // what pools hold outlives one collection
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func megabytes(bytes int64) float64 { return float64(bytes) / (1 << 20) }
