package shared_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loopstone/loopstone/internal/testing/redisserver"
	"github.com/loopstone/loopstone/reference/swarm/shared"
	"github.com/loopstone/loopstone/spec"
)

// durable makes a server write its log before it answers, so that what it acknowledged outlives it.
var durable = []string{"--appendonly", "yes", "--appendfsync", "always"}

// insist sends a report until it is acknowledged: the same report, by its id. It returns how often it was refused.
func insist(t *testing.T, s spec.Session, worker string, id int) (refused int) {
	event := spec.MustParse(fmt.Sprintf(`{"type":"tool_call","tool":"t","worker":%q,"id":"%d"}`, worker, id))
	for {
		_, err := s.Observe(context.Background(), []spec.Value{event})
		switch {
		case err == nil:
			return refused
		case !unavailable(err) || refused > 30:
			t.Errorf("report %d of %s, refused %d times: %v", id, worker, refused, err)
			return refused
		}
		refused++
	}
}

// total returns the count and the workers that a snapshot has of the only fingerprint.
func total(t *testing.T, s spec.Session) (count, workers int) {
	t.Helper()
	state, err := s.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	entries := state.Get("fingerprints").Items()
	if len(entries) != 1 {
		t.Fatalf("want one fingerprint, got %s", state)
	}
	count, _ = entries[0].Get("count").Int()
	return count, len(entries[0].Get("workers").Items())
}

func TestAKilledServerLosesNothingAndCountsNothingTwice(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t, durable...)
	const workers, reports, kills = 4, 400, 3
	var all sync.WaitGroup
	for w := range workers {
		s := open(t, server.URL(), everyCall)
		all.Go(func() {
			for id := range reports {
				insist(t, s, fmt.Sprint(w), id)
			}
		})
	}
	for range kills {
		time.Sleep(50 * time.Millisecond) // into the middle of the reports
		server.Kill()
		server.Restart()
	}
	all.Wait()
	if count, crew := total(t, open(t, server.URL(), everyCall)); count != workers*reports || crew != workers {
		t.Errorf("%d calls by %d workers, want %d by %d", count, crew, workers*reports, workers)
	}
}

func TestAStoreThatIsAwayIsToldAndTheSessionGoesOn(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t, durable...)
	s, other, third := open(t, server.URL(), everyCall), open(t, server.URL(), everyCall), open(t, server.URL(), everyCall)
	insist(t, s, "a", 1)
	server.Kill()
	requests := map[string]func() error{
		"report":   func() error { _, err := s.Observe(t.Context(), []spec.Value{spec.MustParse(callOfA)}); return err },
		"snapshot": func() error { _, err := other.Snapshot(t.Context()); return err },
		"reset":    func() error { return third.Reset(t.Context()) },
	}
	var all sync.WaitGroup
	for name, ask := range requests {
		all.Go(func() {
			err := ask()
			if !unavailable(err) || !strings.Contains(err.Error(), "unavailable: the store at "+server.Address+": ") {
				t.Errorf("%s: got %v", name, err)
			}
		})
	}
	all.Wait()
	server.Restart()
	want(t, "nothing of what was refused was counted", observe(t, s, callOfA), seen{2, 1, "[0,1]"})
}

// notYet are the answers of a server that will do as it is asked a little later.
var notYet = map[string]string{
	"it reads its file":                  "-LOADING Redis is loading the dataset in memory",
	"it has too many clients":            "-ERR max number of clients reached",
	"it was a primary a moment ago":      "-READONLY You can't write against a read only replica.",
	"its primary is away":                "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
	"its cluster does not have all keys": "-CLUSTERDOWN The cluster is down",
	"the keys are moving":                "-TRYAGAIN Multiple keys request during rehashing of slot",
}

func TestAStoreThatCannotAnswerYetIsAskedAgain(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t)
	for why, answer := range notYet {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			s := open(t, "redis://"+front(t, server, answer), fmt.Sprintf(`{"swarm":%q,"threshold":1,"min_workers":1}`, why))
			want(t, why, observe(t, s, callOfA), seen{1, 1, "[0]"})
		})
	}
}

// front listens in front of a server, and answers in its place on the first three connections.
func front(t *testing.T, server *redisserver.Server, answer string) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	serve := func(c net.Conn, refused bool) {
		defer c.Close()
		if refused {
			for lines := bufio.NewScanner(c); lines.Scan(); {
				if strings.HasPrefix(lines.Text(), "*") { // a command begins
					_, _ = io.WriteString(c, answer+"\r\n") // the client may be gone
				}
			}
			return
		}
		behind, err := net.Dial("tcp", server.Address)
		if err != nil {
			t.Error(err)
			return
		}
		defer behind.Close()
		go func() { _, _ = io.Copy(behind, c) }() // ends with the connection
		_, _ = io.Copy(c, behind)
	}
	go func() {
		for connections := 0; ; connections++ {
			c, err := l.Accept()
			if err != nil {
				return // the test is over
			}
			go serve(c, connections < 3)
		}
	}()
	return l.Addr().String()
}

func TestAPasswordIsUsedAndNotShown(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t)
	admin := server.Client()
	do("ACL", "SETUSER", "worker", "on", ">secret", "~loopstone:*", "+@all")(t, nil, admin)
	observe(t, open(t, "redis://worker:secret@"+server.Address+"/3", everyCall), callOfA)
	if keys, err := admin.Info(t.Context(), "keyspace"); err != nil || keys["db3"] == "" {
		t.Errorf("the totals are not in database 3: %v, %v", keys, err)
	}
	_, err := shared.Open(t.Context(), "redis://worker:hidden@"+server.Address)
	if !unavailable(err) || !strings.Contains(err.Error(), "WRONGPASS") || strings.Contains(err.Error(), "hidden") {
		t.Errorf("got %v, want WRONGPASS without the password", err)
	}
}

func TestAFullMemoryRefusesABatchWhole(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t, "--maxmemory-policy", "noeviction")
	s := open(t, server.URL(), everyCall)
	observe(t, s, callOfA)
	admin := server.Client()
	do("CONFIG", "SET", "maxmemory", "1")(t, nil, admin)
	batch := []spec.Value{spec.MustParse(callOfA), spec.MustParse(callOfB)}
	if _, err := s.Observe(t.Context(), batch); !unavailable(err) || !strings.Contains(err.Error(), "OOM") {
		t.Errorf("got %v", err)
	}
	do("CONFIG", "SET", "maxmemory", "0")(t, nil, admin)
	want(t, "no part of the batch was counted", observe(t, s, callOfB), seen{2, 2, "[0,1]"})
}

// losses are what a store may do that forgets totals which it had acknowledged.
var losses = []struct {
	name      string
	idsRemain bool // of the reports: a session that knew nothing can tell, too
	happen    func(t *testing.T, server *redisserver.Server, admin redisserver.Client)
}{
	{"FLUSHALL", false, do("FLUSHALL")},
	{"FLUSHDB", false, do("FLUSHDB")},
	{"the totals deleted", true, do("DEL", "loopstone:{n73}:totals")},
	{"all keys deleted", false, do("DEL", "loopstone:{n73}:totals", "loopstone:{n73}:ids", "loopstone:{n73}:requests")},
	{"the totals expired before their time", true, func(t *testing.T, _ *redisserver.Server, admin redisserver.Client) {
		do("PEXPIRE", "loopstone:{n73}:totals", "1")(t, nil, admin)
		time.Sleep(5 * time.Millisecond)
	}},
	{"another database in the place", false, do("SWAPDB", "0", "1")},
	{"a restart that keeps nothing", false, func(_ *testing.T, server *redisserver.Server, _ redisserver.Client) {
		server.Kill()
		server.Restart()
	}},
}

func do(command ...string) func(*testing.T, *redisserver.Server, redisserver.Client) {
	return func(t *testing.T, _ *redisserver.Server, admin redisserver.Client) {
		t.Helper()
		if err := admin.Ask(t.Context(), command...).Error(); err != nil {
			t.Fatal(err)
		}
	}
}

// wantTold demands that a session says that totals were lost.
func wantTold(t *testing.T, who string, err error) {
	t.Helper()
	if !unavailable(err) || !strings.Contains(err.Error(), "LOST") {
		t.Errorf("%s: got %v, want it told that totals are lost", who, err)
	}
}

func TestTotalsThatAreGoneAreTold(t *testing.T) {
	t.Parallel()
	for _, loss := range losses {
		t.Run(loss.name, func(t *testing.T) {
			t.Parallel()
			server := redisserver.Start(t)
			first, second := open(t, server.URL(), everyCall), open(t, server.URL(), everyCall)
			observe(t, first, callOfA, answered)
			observe(t, second, callOfB)
			loss.happen(t, server, server.Client())
			report := func(s spec.Session) error {
				_, err := s.Observe(t.Context(), []spec.Value{spec.MustParse(callOfA)})
				return err
			}
			if loss.idsRemain {
				wantTold(t, "a session that is opened now", report(open(t, server.URL(), everyCall)))
			}
			_, err := first.Snapshot(t.Context())
			wantTold(t, "a snapshot of a session that knew", err)
			want(t, "the swarm begins again, without old evidence", observe(t, first, callOfA), seen{1, 1, "[2]"})
			wantTold(t, "another session that knew", report(second))
			want(t, "that session goes on, too", observe(t, second, callOfB), seen{2, 2, "[1]"})
			want(t, "it is told once", observe(t, first, callOfA), seen{3, 2, "[2,3]"})
			want(t, "a session that comes now is one of them", observe(t, open(t, server.URL(), everyCall), callOfA), seen{4, 2, "[0]"})
		})
	}
}

func TestASwarmThatWasForgottenInItsTimeIsNotLost(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t)
	s := open(t, server.URL()+"?life=1s", everyCall)
	observe(t, s, callOfA)
	time.Sleep(1100 * time.Millisecond)
	do("FLUSHALL")(t, nil, server.Client()) // the store keeps a swarm for a while longer than it must
	want(t, "nobody reported for so long that the swarm may be gone", observe(t, s, callOfA), seen{1, 1, "[1]"})
}

func TestASwarmLivesAsLongAsItsStoreSays(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t)
	admin := server.Client()
	const life, longest = 1000 * time.Second, 1100 * time.Second
	requests := map[string]func(s spec.Session) error{
		"report": func(s spec.Session) error {
			_, err := s.Observe(t.Context(), []spec.Value{spec.MustParse(callOfB)})
			return err
		},
		"reset":   func(s spec.Session) error { return s.Reset(t.Context()) },
		"restore": func(s spec.Session) error { return s.Restore(t.Context(), spec.MustParse(`{"fingerprints":[]}`)) },
	}
	observe(t, open(t, server.URL()+"?life=1000s", everyCall), answered, callOfA)
	for name, ask := range requests {
		for key, left := range lives(t, admin) {
			if left < life-time.Minute || left > longest {
				t.Errorf("before a %s %s lives %s, want %s to %s", name, key, left, life, longest)
			}
			do("EXPIRE", key, "300")(t, nil, admin)
		}
		if err := ask(open(t, server.URL()+"?life=1000s", everyCall)); err != nil {
			t.Fatal(err)
		}
	}
	left := lives(t, admin)
	if len(left) != 3 {
		t.Errorf("keys %v, want totals, ids and requests", left)
	}
	for key, left := range left {
		if left < life-time.Minute {
			t.Errorf("at the end %s lives %s, want %s", key, left, life)
		}
	}
}

// lives returns how long each key of the server lives on.
func lives(t *testing.T, admin redisserver.Client) map[string]time.Duration {
	t.Helper()
	keys, err := admin.Ask(t.Context(), "KEYS", "*").AsStrSlice()
	if err != nil {
		t.Fatal(err)
	}
	left := map[string]time.Duration{}
	for _, key := range keys {
		seconds, err := admin.Ask(t.Context(), "TTL", key).AsInt64()
		if err != nil {
			t.Fatal(err)
		}
		left[key] = time.Duration(seconds) * time.Second
	}
	return left
}

// A full set of requests must not push out ids of reports, nor the other way round.
func TestRequestsAndReportsAreRememberedApart(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t)
	s := open(t, server.URL(), everyCall)
	observe(t, s, answered, callOfA)
	for range 3 {
		full := strings.Repeat(" ", 64) + fmt.Sprint(2*65536-1)
		do("HSET", "loopstone:{n73}:requests", "#", full)(t, nil, server.Client())
		observe(t, s, callOfA)
	}
	want(t, "the id is known, however many requests there were", observe(t, s, answered), seen{5, 1, "[0,1,2,3,4]"})
}
