package swarm

import (
	"hash/maphash"
	"maps"
	"sync"

	"github.com/loopstone/loopstone/reference/fingerprint"
	"github.com/loopstone/loopstone/spec"
)

// shardCount is a power of two well above the number of processors that report at once, so that two of them seldom
// want the same lock.
const shardCount = 64

// Totals counts the calls of a swarm whose workers run at the same time: D1's SharedEconomicsState. Any number of
// goroutines may call its methods at once. No report is lost, and every verdict judges the reports counted up to it,
// its own included.
//
// Totals remembers every fingerprint and worker that it ever saw, as D1 demands: memory grows with what is distinct,
// not with the number of calls. Reset it when a swarm has completed.
type Totals struct {
	limits Limits
	seed   maphash.Seed
	// A report locks the one shard of its fingerprint. What concerns all shards locks them in ascending order, so that
	// two such calls never wait for each other.
	shards [shardCount]shard
}

// shard holds the tallies of some of the fingerprints. It fills a cache line, so that the lock of one does not slow
// down its neighbours.
type shard struct {
	mu      sync.Mutex
	tallies Tallies // nil while there are none
	_       [48]byte
}

// NewTotals returns Totals without reports.
func NewTotals(limits Limits) *Totals {
	return &Totals{limits: limits, seed: maphash.MakeSeed()}
}

// Report counts one call of the tool by the worker and says whether the whole swarm is stuck on it: the verdict of
// its fingerprint, without evidence. Absent args stand for none.
func (t *Totals) Report(worker, tool string, args spec.Value) spec.Verdict {
	if args.IsAbsent() {
		args = spec.ObjectValue()
	}
	var room [usualBytes]byte
	text := fingerprint.Append(room[:0], tool, args)
	s := &t.shards[t.shard(text)]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tallies == nil {
		s.tallies = Tallies{}
	}
	tally := s.tallies.Of(text, tool)
	tally.Report(worker)
	return t.limits.Judge(tool, tally.Count, len(tally.Workers))
}

// usualBytes holds most fingerprints, so that looking one up needs no memory.
const usualBytes = 256

// shard returns the index of the fingerprint's shard.
func (t *Totals) shard(fingerprint []byte) int {
	return int(maphash.Bytes(t.seed, fingerprint) % shardCount)
}

// Reset forgets all reports and keeps the limits.
func (t *Totals) Reset() { t.replace(nil) } // SW-15

// Snapshot returns the state at one moment: every report counted before it and none after.
func (t *Totals) Snapshot() spec.Value {
	t.lockAll()
	defer t.unlockAll()
	all := Tallies{}
	for i := range t.shards {
		maps.Copy(all, t.shards[i].tallies)
	}
	return all.Value()
}

// Restore replaces all counts by a state that Snapshot wrote, under any limits. It refuses a state that no Snapshot can
// have written with a [*spec.Fault] of kind [spec.InvalidState], and then changes nothing.
func (t *Totals) Restore(state spec.Value) error { // SW-18
	ts, err := ReadState(state)
	if err != nil { // SW-23
		return spec.BadState("%v", err)
	}
	t.replace(ts)
	return nil
}

// replace takes over the tallies, which belong to t from then on.
func (t *Totals) replace(ts Tallies) {
	var parts [shardCount]Tallies
	for fingerprint, tally := range ts {
		i := t.shard([]byte(fingerprint))
		if parts[i] == nil {
			parts[i] = Tallies{}
		}
		parts[i][fingerprint] = tally
	}
	t.lockAll()
	defer t.unlockAll()
	for i := range t.shards {
		t.shards[i].tallies = parts[i]
	}
}

func (t *Totals) lockAll() {
	for i := range t.shards {
		t.shards[i].mu.Lock()
	}
}

func (t *Totals) unlockAll() {
	for i := range t.shards {
		t.shards[i].mu.Unlock()
	}
}
