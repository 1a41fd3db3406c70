package sharedswarm_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/rueidis"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/suite/sharedswarm"
	"github.com/loopstone/loopstone/internal/testing/redisserver"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/reference/swarm/shared"
	"github.com/loopstone/loopstone/spec"
)

// planted is a port whose sessions have one fault. Each instance has a client of its own, as a process has.
type planted struct {
	spec.Port
	client redisserver.Client
	spoil  spoiling
}

// spoiling plants a fault in a session, which keeps its totals under a key of the client's server.
type spoiling func(s spec.Session, client redisserver.Client, totals string) spec.Session

func (p planted) Open(ctx context.Context, id spec.DetectorID, r spec.Reading, config spec.Value) (spec.Session, error) {
	s, err := p.Port.Open(ctx, id, r, config)
	name, _ := config.Get("swarm").Str()
	if err != nil || name == "" {
		return s, err
	}
	return p.spoil(s, p.client, "loopstone:{n"+hex.EncodeToString([]byte(name))+"}:totals"), nil
}

// fleet returns instances of the reference on one server, each with the fault; without one where spoil is nil.
func fleet(t *testing.T, n int, spoil spoiling) []spec.Port {
	t.Helper()
	server := redisserver.Start(t)
	ports := make([]spec.Port, n)
	for i := range ports {
		store, err := shared.Open(t.Context(), server.URL())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { store.Close() })
		ports[i] = store.Port(reference.Port())
		if spoil != nil {
			ports[i] = planted{ports[i], server.Client(), spoil}
		}
	}
	return ports
}

// blind reads the totals of a fingerprint, adds to them, and writes them back.
type blind struct {
	spec.Session
	client redisserver.Client
	key    string
}

type blob struct {
	Count   int
	Workers []string
}

func (s blind) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	tool, _ := events[0].Get("tool").Str()
	worker, _ := events[0].Get("worker").Str()
	var b blob
	text, err := s.client.Ask(ctx, "HGET", s.key+":blind", tool).ToString()
	if err == nil {
		err = json.Unmarshal([]byte(text), &b)
	}
	if err != nil && !rueidis.IsRedisNil(err) {
		return nil, err
	}
	b.Count++
	if !slices.Contains(b.Workers, worker) {
		b.Workers = append(b.Workers, worker)
	}
	line, err := json.Marshal(b)
	if err == nil {
		err = s.client.Ask(ctx, "HSET", s.key+":blind", tool, string(line)).Error()
	}
	return []spec.Value{verdict(b.Count, len(b.Workers))}, err
}

func (s blind) Reset(ctx context.Context) error {
	return s.client.Ask(ctx, "DEL", s.key+":blind").Error()
}

func verdict(count, workers int) spec.Value {
	return spec.Verdict{Loop: true, Kind: spec.KindGlobal, Count: count, Workers: workers}.Value()
}

// forgetful does not tell its store the id of a report.
type forgetful struct{ spec.Session }

func (s forgetful) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	return s.Session.Observe(ctx, []spec.Value{events[0].Without("id")})
}

// stale keeps what it read once.
type stale struct {
	spec.Session
	read *spec.Value
}

func (s stale) Snapshot(ctx context.Context) (spec.Value, error) {
	if s.read.IsAbsent() {
		v, err := s.Session.Snapshot(ctx)
		*s.read = v
		return v, err
	}
	return *s.read, nil
}

// local counts only the workers that it heard of itself.
type local struct {
	spec.Session
	workers map[string]bool
}

func (s local) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	verdicts, err := s.Session.Observe(ctx, events)
	if err != nil {
		return nil, err
	}
	s.workers[events[0].Get("tool").String()+events[0].Get("worker").String()] = true
	workers := 0
	for name := range s.workers {
		if name[:3] == events[0].Get("tool").String() {
			workers++
		}
	}
	return []spec.Value{verdicts[0].With("workers", spec.IntValue(workers))}, nil
}

func (s local) Reset(ctx context.Context) error {
	clear(s.workers)
	return s.Session.Reset(ctx)
}

// piecemeal clears the totals of one tool after those of the other.
type piecemeal struct {
	spec.Session
	client redisserver.Client
	key    string
}

var clearTool = rueidis.NewLuaScript(`
for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
  if string.find(field, ARGV[1], 1, true) then redis.call('HDEL', KEYS[1], field) end
end`)

func (s piecemeal) Reset(ctx context.Context) error {
	for _, tool := range []string{`"t"`, `"u"`} {
		err := clearTool.Exec(ctx, s.client, []string{s.key}, []string{tool}).Error()
		if err != nil && !rueidis.IsRedisNil(err) {
			return err
		}
	}
	return nil
}

var faults = []struct {
	name  string
	spoil spoiling
}{
	{"lost update", func(s spec.Session, c redisserver.Client, key string) spec.Session { return blind{s, c, key} }},
	{"double count after a retry", func(s spec.Session, _ redisserver.Client, _ string) spec.Session { return forgetful{s} }},
	{"stale read", func(s spec.Session, _ redisserver.Client, _ string) spec.Session { return stale{s, new(spec.Value)} }},
	{"workers counted per process", func(s spec.Session, _ redisserver.Client, _ string) spec.Session {
		return local{s, map[string]bool{}}
	}},
	{"a reset in pieces", func(s spec.Session, c redisserver.Client, key string) spec.Session { return piecemeal{s, c, key} }},
}

func TestEveryPlantedFaultIsFoundByAShortHistory(t *testing.T) {
	for _, fault := range faults {
		t.Run(fault.name, func(t *testing.T) {
			ports := fleet(t, 3, fault.spoil)
			start := time.Now()
			r, err := sharedswarm.Check(t.Context(), ports, sharedswarm.Options{Seed: 1, Plans: 10_000})
			var failure *sharedswarm.Failure
			if !errors.As(err, &failure) {
				t.Fatalf("%d plans show nothing: %v", r.Plans, err)
			}
			t.Logf("found in %s: %v", time.Since(start).Round(time.Millisecond), failure)
			if failure.Operations > 6 {
				t.Errorf("the history has %d operations, want at most 6", failure.Operations)
			}
		})
	}
}

func TestCasesOfSeveralInstancesFindFaultsToo(t *testing.T) {
	t.Parallel()
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	suite = slices.DeleteFunc(slices.Clone(suite), func(c cases.Case) bool { return c.Instances == 0 })
	for name, want := range map[string]string{
		"":                            "",
		"double count after a retry":  "swarm-shared-report-sent-again",
		"workers counted per process": "swarm-shared-counts-together",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var spoil spoiling
			for _, f := range faults {
				if f.name == name {
					spoil = f.spoil
				}
			}
			report, err := conformance.Run(t.Context(), fleet(t, 1, spoil)[0], suite, conformance.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range report.Results {
				if failed := r.Status == conformance.Failed; r.Status != conformance.Passed && !failed || failed && want == "" ||
					!failed && r.Case == want {
					t.Errorf("%s: %s %s", r.Case, r.Status, r.Reason)
				}
			}
		})
	}
}

func TestTheReferenceIsOneSwarm(t *testing.T) {
	t.Parallel()
	if _, err := sharedswarm.Check(t.Context(), fleet(t, 4, nil), sharedswarm.Options{Seed: 2, Plans: 500}); err != nil {
		t.Error(err)
	}
}

func TestAPortWithoutTheFeatureIsNotChecked(t *testing.T) {
	t.Parallel()
	ports := []spec.Port{reference.Port(), reference.Port()}
	if _, err := sharedswarm.Check(t.Context(), ports, sharedswarm.Options{Plans: 1}); !errors.Is(err, sharedswarm.ErrNotShared) {
		t.Errorf("got %v", err)
	}
}

// refusing is a port that says for ever after so many operations that its store is away.
type refusing struct {
	spec.Port
	left *atomic.Int64
}

func (p refusing) Open(ctx context.Context, id spec.DetectorID, r spec.Reading, config spec.Value) (spec.Session, error) {
	s, err := p.Port.Open(ctx, id, r, config)
	return refusingSession{s, p.left}, err
}

type refusingSession struct {
	spec.Session
	left *atomic.Int64
}

func (s refusingSession) refuse() error {
	if s.left.Add(-1) < 0 {
		return &spec.Fault{Kind: spec.Unavailable, Message: "away"}
	}
	return nil
}

func (s refusingSession) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	if err := s.refuse(); err != nil {
		return nil, err
	}
	return s.Session.Observe(ctx, events)
}

func (s refusingSession) Snapshot(ctx context.Context) (spec.Value, error) {
	if err := s.refuse(); err != nil {
		return spec.Value{}, err
	}
	return s.Session.Snapshot(ctx)
}

func (s refusingSession) Reset(ctx context.Context) error {
	if err := s.refuse(); err != nil {
		return err
	}
	return s.Session.Reset(ctx)
}

func (s refusingSession) Restore(ctx context.Context, state spec.Value) error {
	if err := s.refuse(); err != nil {
		return err
	}
	return s.Session.Restore(ctx, state)
}

func TestInstancesThatHardlyAnswerAreNotDecided(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason      string
		left, plans int
	}{
		{"a store that goes away for good ends the check", 30, 1_000_000},
		{"a few percent are too many", 380, 50},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			ports, left := fleet(t, 3, nil), new(atomic.Int64)
			left.Store(int64(test.left))
			for i := range ports {
				ports[i] = refusing{ports[i], left}
			}
			r, err := sharedswarm.Check(t.Context(), ports, sharedswarm.Options{Seed: 1, Plans: test.plans})
			var refusals *sharedswarm.Refusals
			if !errors.As(err, &refusals) || refusals.Result != r || r.Refused == 0 || r.Refused > r.Operations-test.left/2 {
				t.Errorf("%+v: %v", r, err)
			}
		})
	}
}

func TestFiftyInstancesAreJudged(t *testing.T) {
	t.Parallel()
	r, err := sharedswarm.Check(t.Context(), fleet(t, 50, nil), sharedswarm.Options{Seed: 1, Plans: 30})
	if err != nil || r.Plans != 30 || r.Refused != 0 {
		t.Errorf("%+v: %v", r, err)
	}
}
