package sharedswarm_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/loopstone/loopstone/internal/testing/redisserver"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/reference/swarm/shared"
	"github.com/loopstone/loopstone/spec"
)

// stalled are sessions of one swarm, each on a connection of its own, and what they are told while their store stalls.
type stalled struct {
	sessions []spec.Session
	mu       sync.Mutex
	told     map[int]int // how many reports were told a count
	refused  int
}

// newStalled opens sessions of the reference and of the Python port. Each makes a report, so that the server knows its
// scripts: a stall that begins with a report cannot lose what the server must first be taught.
func newStalled(t *testing.T, server *redisserver.Server) *stalled {
	t.Helper()
	s := &stalled{told: map[int]int{}}
	ports := []spec.Port{python(t, server), python(t, server)}
	for range 4 {
		store, err := shared.Open(t.Context(), server.URL())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { store.Close() })
		ports = append(ports, store.Port(reference.Port()))
	}
	for i, p := range ports {
		session, err := p.Open(t.Context(), spec.Swarm, spec.Text, spec.MustParse(`{"swarm":"s","threshold":1,"min_workers":1}`))
		if err != nil {
			t.Fatal(err)
		}
		s.sessions = append(s.sessions, session)
		s.report(t, i, `"id":"warm"`)
	}
	return s
}

// report sends a new report of a session, and takes down what the session is told.
func (s *stalled) report(t *testing.T, i int, member string) {
	call := spec.MustParse(fmt.Sprintf(`{"type":"tool_call","tool":"t","worker":"w%d",%s}`, i, member))
	verdicts, err := s.sessions[i].Observe(context.Background(), []spec.Value{call})
	s.mu.Lock()
	defer s.mu.Unlock()
	var fault *spec.Fault
	switch {
	case err == nil:
		count, _ := verdicts[0].Get("count").Int()
		s.told[count]++
	case errors.As(err, &fault) && fault.Kind == spec.Unavailable:
		s.refused++
	default:
		t.Errorf("session %d: %v", i, err)
	}
}

// Every report is a new call, so that each raises the count: two that are told the same count have no order (SW-33).
// Attempts end during a stall, and are executed after it nevertheless.
func TestNoTwoCallsAreToldTheSameCountAfterAStall(t *testing.T) {
	t.Parallel()
	for _, length := range []time.Duration{1500 * time.Millisecond, 3300 * time.Millisecond, 3700 * time.Millisecond, 5 * time.Second} {
		t.Run(length.String(), func(t *testing.T) {
			t.Parallel()
			server := redisserver.Start(t)
			s := newStalled(t, server)
			var all sync.WaitGroup
			all.Go(func() { server.Stall(length) })
			time.Sleep(20 * time.Millisecond) // into the stall
			for i := range s.sessions {
				all.Go(func() {
					s.report(t, i, `"id":"7"`)
					s.report(t, i, `"args":{}`)
				})
			}
			all.Wait()
			acknowledged := 0
			for count, calls := range s.told {
				if calls > 1 {
					t.Errorf("%d calls were told that they are call %d", calls, count)
				}
				acknowledged += calls
			}
			last, _ := s.sessions[0].Snapshot(t.Context())
			total, _ := last.Get("fingerprints").Items()[0].Get("count").Int()
			if sent := 3 * len(s.sessions); total < acknowledged || total > sent {
				t.Errorf("the total is %d; %d reports were acknowledged, %d refused", total, acknowledged, s.refused)
			}
		})
	}
}
