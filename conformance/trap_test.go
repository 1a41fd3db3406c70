//go:build unix

package conformance_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// trapEnv tells this binary to be an adapter that goes wrong at some event: WHAT:WHEN[:FILE]. What happens is one of
// the traps; it happens when a call of the tool WHEN is observed, at every event where WHEN is *, or, where WHEN is a
// number, at the request of that number.
const trapEnv = "LOOPSTONE_TRAP"

// traps is what can happen to a trapped port. The file, where one is named, is a memory that outlives the process.
var traps = map[string]func(t *trap){
	"crash": func(*trap) { fail("caught in a trap", 3) },
	"leave": func(*trap) { os.Exit(0) },
	"hang":  func(*trap) { time.Sleep(time.Hour) },
	"crash-once": func(t *trap) {
		if t.firstTime() {
			fail("caught in a trap, once", 3)
		}
	},
	"leave-once": func(t *trap) {
		if t.firstTime() {
			os.Exit(0)
		}
	},
	"babble-in-company": func(t *trap) {
		if t.open.Load() > 1 {
			fmt.Println("debug")
		}
	},
	"lie-and-crash": func(*trap) {}, // see trappedSession
	"no-loop":       func(*trap) {}, // see trappedSession
	"crash-for-good": func(t *trap) { // it does not start again either
		t.firstTime()
		fail("caught in a trap, for good", 3)
	},
}

func fail(words string, status int) {
	fmt.Fprintln(os.Stderr, words)
	os.Exit(status)
}

// trap is an honest port but for one thing.
type trap struct {
	spec.Port
	what, when, file string
	requests         int
	open             atomic.Int64
}

// trapIfAsked makes the process a trapped adapter, and exits.
func trapIfAsked() {
	words := os.Getenv(trapEnv)
	if words == "" {
		return
	}
	parts := append(strings.SplitN(words, ":", 3), "")
	t := &trap{Port: historyPort(), what: parts[0], when: parts[1], file: parts[2]}
	if t.what == "crash-for-good" && t.known() {
		fail("I was here before, and it was no good", 9)
	}
	if err := stdio.Serve(context.Background(), t, os.Stdin, os.Stdout); err != nil {
		fail(err.Error(), 1)
	}
	os.Exit(0)
}

func (t *trap) known() bool {
	_, err := os.Stat(t.file)
	return err == nil
}

// firstTime reports whether nobody asked before, in this process or another.
func (t *trap) firstTime() bool {
	if t.known() {
		return false
	}
	if err := os.WriteFile(t.file, nil, 0o600); err != nil {
		fail(err.Error(), 64)
	}
	return true
}

// Open implements [spec.Port].
func (t *trap) Open(ctx context.Context, id spec.DetectorID, reading spec.Reading, config spec.Value) (spec.Session, error) {
	s, err := t.Port.Open(ctx, id, reading, config)
	t.open.Add(1)
	return &trappedSession{Session: s, trap: t}, err
}

type trappedSession struct {
	spec.Session
	trap *trap
	lies bool // it gave a wrong verdict, and will crash when it is closed
}

// Observe implements [spec.Session].
func (s *trappedSession) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	t := s.trap
	t.requests++
	if t.steppedOn(events) {
		traps[t.what](t)
		s.lies = t.what == "lie-and-crash"
	}
	verdicts, err := s.Session.Observe(ctx, events)
	if s.lies && err == nil {
		verdicts[0] = spec.MustParse(`{"loop":true,"kind":"repeat","count":77}`)
	}
	if t.what == "no-loop" && err == nil {
		verdicts = slices.Repeat([]spec.Value{spec.MustParse(`{"loop":false}`)}, len(verdicts))
	}
	return verdicts, err
}

func (t *trap) steppedOn(events []spec.Value) bool {
	if n, err := strconv.Atoi(t.when); err == nil {
		return t.requests == n
	}
	for _, e := range events {
		if tool, _ := e.Get("tool").Str(); t.when == "*" || tool == t.when {
			return true
		}
	}
	return false
}

// Close implements [spec.Session].
func (s *trappedSession) Close(ctx context.Context) error {
	s.trap.open.Add(-1)
	if s.lies {
		fail("gone at the end", 3)
	}
	return s.Session.Close(ctx)
}
