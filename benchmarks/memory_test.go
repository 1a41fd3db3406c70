package benchmarks_test

import (
	"flag"
	"runtime"
	"testing"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/bench"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// The limits on the memory of one session, whatever it has observed.
const (
	mostMemory = 50 << 20
	mostGrowth = 1 << 19 // from so many events to twice as many
)

var memoryEvents = flag.Int("memory-events", 10_000,
	"how many events TestMemoryOfASessionIsBounded feeds to each session; 10000000 is the full run")

// TestMemoryOfASessionIsBounded feeds a session, looks at the memory in use, feeds it as many events again and looks
// again: it must be small, and stay the same. The full run is
//
//	go test ./benchmarks -run TestMemoryOfASessionIsBounded -memory-events 10000000 -timeout 30m -v
func TestMemoryOfASessionIsBounded(t *testing.T) { // not parallel: the heap belongs to all
	if testing.Short() {
		t.Skip("a million events: make long runs it")
	}
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

// mostAfterARun is the most bytes that a session may keep after 300 events of a healthy agent: 1,000 sessions at once then
// take 15 MB. Sessions share what follows from their configuration.
const mostAfterARun = 15 << 10

// larger are the sessions that may keep more.
var larger = map[string]struct {
	most   int64
	reason string
}{
	"swarm/text":         {136 << 10, "totals: for each call that it ever saw, a set of workers and a trail"},
	"stream/code":        {80 << 10, "it keeps what the next two keep, and the text and a count for each of 961 periods"},
	"@gemini-cli-stream": {20 << 10, "2,300 characters, 4 bytes each: a chunk may recur 250 characters later, ten times"},
	"@hermes-stream":     {46 << 10, "the lines of up to 64,000 characters"},
	"@hermes":            {76 << 10, "six streaks over the last 1,000 calls, 48 bytes each"},
}

// A subject is a detector, or a profile, whose sessions are looked at.
type subject struct {
	name string
	id   spec.DetectorID
	open func() (spec.Detector, error)
}

func TestMemoryAfterARunIsSmall(t *testing.T) { // not parallel: the heap belongs to all
	if testing.Short() {
		t.Skip("the whole suite: make long runs it")
	}
	const sessions, events = 20, 300
	seen := map[string]bool{}
	for _, s := range subjects(t) {
		seen[s.name] = true
		t.Run(s.name, func(t *testing.T) {
			ring := decode(t, everyday(t, s.id).Ring())
			open := make([]spec.Detector, sessions)
			empty := heapInUse()
			for i := range open {
				var err error
				if open[i], err = s.open(); err != nil {
					t.Fatal(err)
				}
				feed(open[i], ring, 0, events)
			}
			each, most := (heapInUse()-empty)/sessions, int64(mostAfterARun)
			runtime.KeepAlive(open)
			runtime.KeepAlive(ring)
			if exception, is := larger[s.name]; is {
				most = exception.most
			}
			t.Logf("%d events: %d bytes", events, each)
			if each > most {
				t.Errorf("a session keeps %d bytes, want at most %d", each, most)
			}
		})
	}
	for name := range larger {
		if !seen[name] {
			t.Errorf("no detector or profile is called %s", name)
		}
	}
}

// subjects returns every reading of every detector, and every profile.
func subjects(t *testing.T) (list []subject) {
	t.Helper()
	profiles, err := profile.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, impl := range reference.Implementations() {
		add := func(name string, r spec.Reading, config spec.Value) {
			list = append(list, subject{name, impl.Detector, func() (spec.Detector, error) { return impl.New(r, config) }})
		}
		for _, r := range impl.Readings {
			add(string(impl.Detector)+"/"+string(r), r, spec.Value{})
		}
		for _, p := range profiles {
			if p.ID().Row() == impl.Detector {
				add("@"+p.Name, impl.Readings[0], p.Config())
			}
		}
	}
	return list
}

// everyday returns a workload without long loops, whose windows change all the time.
func everyday(t testing.TB, id spec.DetectorID) bench.Workload {
	t.Helper()
	set, err := bench.For(id)
	if err != nil {
		t.Fatal(err)
	}
	return workload(t, id, set.Everyday)
}

// workload returns the detector's workload of that name.
func workload(t testing.TB, id spec.DetectorID, name string) bench.Workload {
	t.Helper()
	set, err := bench.For(id)
	if err != nil {
		t.Fatal(err)
	}
	w, found := lists.Find(set.Workloads, func(w bench.Workload) bool { return w.Name == name })
	if !found {
		t.Fatalf("%s has no workload %q", id, name)
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
