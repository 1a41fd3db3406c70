// Package swarmnetwork_test asks a shared swarm over a faulty network: connections that break, stall and lose answers.
// It is among the tools, so that the product's module does not need the proxy that breaks them.
package swarmnetwork_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/toxics"
	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/loopstone/loopstone/internal/testing/redisserver"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/reference/swarm/shared"
	"github.com/loopstone/loopstone/spec"
)

const (
	everyCall = `{"swarm":"s","threshold":1,"min_workers":1}`
	callOfA   = `{"type":"tool_call","tool":"t","worker":"a"}`
	callOfB   = `{"type":"tool_call","tool":"t","worker":"b"}`
	answered  = `{"type":"tool_call","tool":"t","worker":"a","id":"7"}`
	sameID    = `{"type":"tool_call","tool":"t","worker":"b","id":"7"}`
)

// open returns a session of a process of its own, as far as the store can tell.
func open(t *testing.T, url, config string) spec.Session {
	t.Helper()
	store, err := shared.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	s, err := store.Port(reference.Port()).Open(t.Context(), spec.Swarm, spec.Text, spec.MustParse(config))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// seen is what a verdict tells of the totals.
type seen struct {
	Count, Workers int
	Evidence       string
}

// observe sends events, one at a time.
func observe(t *testing.T, s spec.Session, events ...string) (all []seen) {
	t.Helper()
	for _, e := range events {
		verdicts, err := s.Observe(t.Context(), []spec.Value{spec.MustParse(e)})
		if err != nil {
			t.Fatal(err)
		}
		count, _ := verdicts[0].Get("count").Int()
		workers, _ := verdicts[0].Get("workers").Int()
		all = append(all, seen{count, workers, verdicts[0].Get("evidence").String()})
	}
	return all
}

func want(t *testing.T, why string, got []seen, want ...seen) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got)\n%s", why, diff)
	}
}

// unavailable reports whether the error is the refusal of a store that is away.
func unavailable(err error) bool {
	var fault *spec.Fault
	return errors.As(err, &fault) && fault.Kind == spec.Unavailable
}

// insist sends a report until it is acknowledged: the same report, by its id.
func insist(t *testing.T, s spec.Session, worker string, id int) {
	t.Helper()
	event := spec.MustParse(fmt.Sprintf(`{"type":"tool_call","tool":"t","worker":%q,"id":"%d"}`, worker, id))
	for refused := 0; ; refused++ {
		_, err := s.Observe(context.Background(), []spec.Value{event})
		if err == nil {
			return
		}
		if !unavailable(err) || refused > 30 {
			t.Fatalf("report %d of %s, refused %d times: %v", id, worker, refused, err)
		}
	}
}

// calls returns how often a command was called, of what INFO tells: calls=3,failed_calls=1.
func calls(statistics string) int {
	var n int
	if _, err := fmt.Sscanf(statistics, "calls=%d", &n); err != nil {
		return 0
	}
	return n
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

// proxy stands between the server and whoever asks it, until the end of the test.
func proxy(t *testing.T, name string, server *redisserver.Server) *toxiproxy.Proxy {
	t.Helper()
	metrics := toxiproxy.NewMetricsContainer(prometheus.NewRegistry())
	p := toxiproxy.NewProxy(toxiproxy.NewServer(metrics, zerolog.New(io.Discard)), name, "127.0.0.1:0", server.Address)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p
}

// lost lets requests through, and closes the connection in place of the answer of a script: a list, or a number. What else
// is answered comes through, so that the request is sent again and again.
type lost struct{}

func (lost) Pipe(stub *toxics.ToxicStub) {
	for {
		select {
		case <-stub.Interrupt:
			return
		case c := <-stub.Input:
			if c == nil || c.Data[0] == '*' || c.Data[0] == ':' {
				stub.Close()
				return
			}
			stub.Output <- c
		}
	}
}

func init() { toxics.Register("lost", new(lost)) }

func TestAReportWhoseAnswerIsLostCountsOnce(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t)
	p := proxy(t, "store", server)
	s := open(t, "redis://"+p.Listen, everyCall)
	observe(t, s, callOfA)
	if _, err := p.Toxics.AddToxicJson(strings.NewReader(`{"type":"lost","stream":"downstream"}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Observe(t.Context(), []spec.Value{spec.MustParse(answered)}); !unavailable(err) {
		t.Errorf("every answer is lost: got %v", err)
	}
	p.Toxics.ResetToxics(t.Context())
	want(t, "it had been counted, and is not again", observe(t, s, answered), seen{2, 1, "[0]"})
	want(t, "what comes then counts", observe(t, s, callOfB), seen{3, 2, "[0,2]"})
}

func TestABatchWhoseAnswerIsLostCountsOnceWithAndWithoutIDs(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t)
	p := proxy(t, "store", server)
	cut, other := open(t, "redis://"+p.Listen, everyCall), open(t, server.URL(), everyCall)
	observe(t, other, answered)
	if _, err := p.Toxics.AddToxicJson(strings.NewReader(`{"type":"lost","stream":"downstream"}`)); err != nil {
		t.Fatal(err)
	}
	batch := []spec.Value{spec.MustParse(callOfA), spec.MustParse(answered), spec.MustParse(sameID), spec.MustParse(callOfA)}
	if _, err := cut.Observe(t.Context(), batch); !unavailable(err) {
		t.Errorf("every answer is lost: got %v", err)
	}
	if count, workers := total(t, other); count != 4 || workers != 2 {
		t.Errorf("%d calls by %d workers, want 4 by 2: three of the batch were new", count, workers)
	}
}

// The totals of the moment in which the report was counted are gone: others have reported since.
func TestAReportWhoseAnswerIsLostIsNotToldTheCallOfAnother(t *testing.T) {
	t.Parallel()
	for name, report := range map[string]string{"with an id": answered, "without one": callOfA} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := redisserver.Start(t)
			p := proxy(t, "store", server)
			cut, other := open(t, "redis://"+p.Listen, everyCall), open(t, server.URL(), everyCall)
			observe(t, cut, callOfA)
			if _, err := p.Toxics.AddToxicJson(strings.NewReader(`{"type":"lost","stream":"downstream"}`)); err != nil {
				t.Fatal(err)
			}
			over := make(chan error, 1)
			go func() {
				_, err := cut.Observe(t.Context(), []spec.Value{spec.MustParse(report)})
				over <- err
			}()
			for count := 1; count < 2; count, _ = total(t, other) { // the report is counted, and its answer is lost
				time.Sleep(time.Millisecond)
			}
			want(t, "another reports meanwhile", observe(t, other, callOfB), seen{3, 2, "[0]"})
			p.Toxics.ResetToxics(t.Context())
			if err := <-over; !unavailable(err) {
				t.Errorf("nobody can know the verdict: got %v", err)
			}
			want(t, "it counts once", observe(t, other, callOfB), seen{4, 2, "[0,1]"})
		})
	}
}

func TestAResetWhoseAnswerIsLostTakesEffectOnce(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t)
	p := proxy(t, "store", server)
	cut, other := open(t, "redis://"+p.Listen, everyCall), open(t, server.URL(), everyCall)
	if err := other.Reset(t.Context()); err != nil { // so that the server has the script
		t.Fatal(err)
	}
	observe(t, other, callOfA, callOfA)
	if _, err := p.Toxics.AddToxicJson(strings.NewReader(`{"type":"lost","stream":"downstream"}`)); err != nil {
		t.Fatal(err)
	}
	over := make(chan error, 1)
	go func() { over <- cut.Reset(t.Context()) }()
	resets, before, reports := 0, 2, 0
	for asking := true; asking; {
		select {
		case err := <-over:
			if asking = false; !unavailable(err) {
				t.Errorf("every answer is lost: got %v", err)
			}
		default:
		}
		if count := observe(t, other, callOfA)[0].Count; count <= before {
			resets, before = resets+1, 0
		} else {
			before = count
		}
		reports++
	}
	stats, err := server.Client().Info(t.Context(), "commandstats")
	if err != nil {
		t.Fatal(err)
	}
	if sent := calls(stats["cmdstat_evalsha"]) - reports; sent < 5 {
		t.Errorf("%d requests besides %d reports: the reset was not sent again", sent, reports)
	}
	if resets != 1 {
		t.Errorf("the totals fell %d times, want once, however often the reset was sent", resets)
	}
}

func TestASlowConnectionIsWaitedForOrToldInTime(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t)
	p := proxy(t, "store", server)
	s := open(t, "redis://"+p.Listen, everyCall)
	slow := func(milliseconds int) {
		p.Toxics.ResetToxics(t.Context())
		toxic := fmt.Sprintf(`{"type":"latency","stream":"downstream","attributes":{"latency":%d}}`, milliseconds)
		if _, err := p.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
			t.Fatal(err)
		}
	}
	slow(100)
	want(t, "a tenth of a second is waited for", observe(t, s, callOfA), seen{1, 1, "[0]"})
	slow(60_000)
	start := time.Now()
	if _, err := s.Observe(t.Context(), []spec.Value{spec.MustParse(answered)}); !unavailable(err) {
		t.Errorf("a minute is not: got %v", err)
	}
	if waited := time.Since(start); waited > 30*time.Second {
		t.Errorf("it was told after %s", waited)
	}
	p.Toxics.ResetToxics(t.Context())
	want(t, "however often it arrived, it counts once", observe(t, s, answered), seen{2, 1, "[0]"})
}

func TestAFailoverLosesWhatTheReplicaHadNotAndReportsSentAgainBringItBack(t *testing.T) {
	t.Parallel()
	primary, replica := redisserver.Start(t), redisserver.Start(t)
	link, front := proxy(t, "link", primary), proxy(t, "front", primary)
	s := open(t, "redis://"+front.Listen, everyCall)
	host, port, _ := net.SplitHostPort(link.Listen)
	if err := replica.Client().Ask(t.Context(), "REPLICAOF", host, port).Error(); err != nil {
		t.Fatal(err)
	}
	const replicated, lost = 20, 7
	send := func(first, reports int) {
		for id := first; id < first+reports; id++ {
			insist(t, s, "a", id)
		}
	}
	send(0, replicated)
	replica.CatchUp(primary)
	link.Stop()
	send(replicated, lost)

	primary.Kill()
	front.Stop()
	front.Upstream = replica.Address
	if err := front.Start(); err != nil {
		t.Fatal(err)
	}
	if err := replica.Client().Ask(t.Context(), "REPLICAOF", "no", "one").Error(); err != nil {
		t.Fatal(err)
	}
	if count, _ := total(t, s); count != replicated {
		t.Errorf("the replica has %d reports, want the %d that reached it", count, replicated)
	}
	send(0, replicated+lost) // the ids of the lost reports are lost with them
	if count, _ := total(t, s); count != replicated+lost {
		t.Errorf("%d reports after all were sent again, want %d", count, replicated+lost)
	}
}
