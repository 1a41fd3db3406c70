package fuzz

import (
	"flag"
	"fmt"
	"hash/fnv"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/spec"
)

// drawn returns so many generated subjects for a check. The same seed gives the same subjects, others for each check,
// and each subject has a seed of its own, so that it can be drawn again without those before it.
func (h *Hunt) drawn(check Check, n int, seed uint64) lineup {
	generator := rapid.Custom(h.Draw)
	seeds := seedsOf(check.ID, seed)
	at := func(i int) Subject { return drawOne(generator, seeds(i)) }
	shrunk := func(i int, fails func(Subject) error) Subject {
		if subject, failed := shrinkOne(h.Draw, seeds(i), fails); failed {
			return subject
		}
		return at(i)
	}
	return lineup{n, at, shrunk}
}

// seedsOf returns the seeds of the subjects that a check gets. They are spread over all numbers, since the next round's
// seed is one higher and must not bring the same subjects again.
func seedsOf(check string, seed uint64) func(i int) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d", check, seed)
	first := h.Sum64()
	const golden = 0x9e3779b97f4a7c15 // multiples of it lie as far apart as can be
	return func(i int) uint64 {
		return max(first+uint64(i)*golden, 1) // 0 would be a seed from the clock
	}
}

// Rapid is made for go test: its settings are flags of the process. They are written, under both locks, before it
// shrinks; drawing reads one of them, so it holds settings for a moment. The order is: shrinking, then settings.
var (
	shrinking sync.Mutex   // one subject is shrunk at a time
	settings  sync.RWMutex // guards rapid's flags
)

// drawOne draws the subject of a seed.
func drawOne(generator *rapid.Generator[Subject], seed uint64) Subject {
	settings.RLock()
	defer settings.RUnlock()
	return generator.Example(int(seed))
}

// shrinkOne draws the subject of a seed, and where it fails, returns the subject that rapid shrinks it to, and true.
//
// A failing property is run once more on the minimal subject at the very end, so the last subject seen is the
// counterexample, and no text has to be parsed.
func shrinkOne(draw func(*rapid.T) Subject, seed uint64, fails func(Subject) error) (Subject, bool) {
	shrinking.Lock()
	defer shrinking.Unlock()
	prepare(seed)
	var last Subject
	drawn, failing := false, false // the subject of the seed
	t := &quiet{}
	done := make(chan struct{})
	go func() { // a failing rapid.TB ends its goroutine; the channel is how its owner waits for it
		defer close(done)
		rapid.Check(t, func(rt *rapid.T) {
			s := draw(rt)
			if drawn && !failing {
				return // it passes, and rapid goes on with others
			}
			last, drawn = s, true
			if err := fails(s); err != nil {
				failing = true
				rt.Fatalf("%s", err)
			}
		})
	}()
	<-done
	return last, t.failed
}

var initialise = sync.OnceFunc(func() {
	testing.Init() // rapid asks testing.Short, which panics before this
	if !flag.Parsed() {
		_ = flag.CommandLine.Parse(nil) // no arguments, no errors
	}
})

func prepare(seed uint64) {
	settings.Lock()
	defer settings.Unlock()
	initialise()
	for name, value := range map[string]string{
		"rapid.checks":     "5", // -short leaves a fifth of them, and the first one is what matters
		"rapid.seed":       strconv.FormatUint(seed, 10),
		"rapid.nofailfile": "true", // else it writes to, and reads from, the user's folder
		"rapid.shrinktime": shrinkTime.String(),
	} {
		if err := flag.Set(name, value); err != nil {
			panic(fmt.Sprintf("rapid has no flag %s: %v", name, err))
		}
	}
}

// quiet is a [rapid.TB] that says nothing and remembers whether it failed.
type quiet struct {
	failed bool
}

func (q *quiet) Helper()               {}
func (q *quiet) Name() string          { return "fuzz" }
func (q *quiet) Log(...any)            {}
func (q *quiet) Logf(string, ...any)   {}
func (q *quiet) Skip(...any)           { q.SkipNow() }
func (q *quiet) Skipf(string, ...any)  { q.SkipNow() }
func (q *quiet) SkipNow()              { runtime.Goexit() }
func (q *quiet) Error(...any)          { q.Fail() }
func (q *quiet) Errorf(string, ...any) { q.Fail() }
func (q *quiet) Fatal(...any)          { q.FailNow() }
func (q *quiet) Fatalf(string, ...any) { q.FailNow() }
func (q *quiet) Fail()                 { q.failed = true }
func (q *quiet) FailNow()              { q.failed = true; runtime.Goexit() }
func (q *quiet) Failed() bool          { return q.failed }

// DrawEvents returns the events of the trace that a seed draws: those of its first agent, up to the first reset; none
// where the seed draws a function call.
func DrawEvents(draw func(*rapid.T) Subject, seed uint64) []spec.Value {
	s := drawOne(rapid.Custom(draw), max(seed, 1)) // 0 would be a seed from the clock
	var events []spec.Value
	for _, step := range s.Single().Steps {
		if step.IsReset() {
			break
		}
		events = append(events, step.Event)
	}
	return events
}
