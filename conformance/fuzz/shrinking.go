package fuzz

import (
	"flag"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// checkOnce runs a property on generated subjects until it fails or as many as asked have passed. It returns the
// subject that rapid shrank to, and whether the property failed.
//
// Rapid is made for go test: its settings are flags of the process, so one run at a time is under way, and the seed is
// set before each. A failing property is run once more on the minimal subject at the very end, so the last subject seen
// is the counterexample, and no text has to be parsed.
func checkOnce(checks int, seed uint64, draw func(*rapid.T) Subject, property func(Subject) error) (Subject, bool) {
	settings.Lock()
	defer settings.Unlock()
	prepare(checks, seed)
	var last Subject
	t := &quiet{}
	done := make(chan struct{})
	go func() { // a failing rapid.TB ends its goroutine; the channel is how its owner waits for it
		defer close(done)
		rapid.Check(t, func(rt *rapid.T) {
			s := draw(rt)
			last = s
			if err := property(s); err != nil {
				rt.Fatalf("%s", err)
			}
		})
	}()
	<-done
	return last, t.failed
}

// settings guards rapid's flags, which are those of the process.
var settings sync.Mutex

var initialise = sync.OnceFunc(func() {
	testing.Init() // rapid asks testing.Short, which panics before this
	if !flag.Parsed() {
		_ = flag.CommandLine.Parse(nil) // no arguments, no errors
	}
})

func prepare(checks int, seed uint64) {
	initialise()
	for name, value := range map[string]string{
		"rapid.checks":     strconv.Itoa(checks),
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
