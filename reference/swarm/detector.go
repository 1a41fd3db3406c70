// Package swarm is the reference implementation of D1's global doom loop: the same call, made again and again by the
// workers of a swarm together.
//
// A [Detector] sees the calls of all workers as one trace. A Go program whose workers run at the same time reports to
// [Totals] instead, which the Detector is built on.
package swarm

import (
	"fmt"

	"github.com/loopstone/loopstone/reference/fingerprint"
	"github.com/loopstone/loopstone/spec"
)

// Detector finds global doom loops in one trace of tool calls by several workers. For each fingerprint it keeps the
// number of calls and the set of workers, of all time (D1#global-doom-loop-detection-swarm-mode):
//
//  1. A call is counted under its fingerprint, and its worker is put into the fingerprint's set.
//  2. It is a loop when the fingerprint then has at least Threshold calls from at least MinWorkers workers.
//  3. There is no window and no decay: what was counted stays counted until Reset.
type Detector struct {
	totals *Totals
	trails map[string]*spec.Trail // by fingerprint: the calls counted since the session was opened, reset or restored
	log    *spec.ClauseLog
}

// New returns a Detector with an empty trace.
func New(limits Limits) *Detector {
	return &Detector{totals: NewTotals(limits), trails: map[string]*spec.Trail{}}
}

// Implementation returns the detector and its function, as [spec.NewHost] takes them in.
func Implementation() spec.Implementation {
	profile, _ := spec.ProfileOf(spec.Swarm)
	return spec.Implementation{
		Offer: spec.Offer{Detector: profile.ID, Readings: profile.Readings, Features: profile.Features},
		New: func(_ spec.Reading, config spec.Value) (spec.Detector, error) {
			limits, err := readLimits(config)
			if err != nil {
				return nil, err
			}
			return New(limits), nil
		},
		Functions: map[string]func(spec.Reading, spec.Value) (spec.Value, error){"swarm.merge": merge},
	}
}

func readLimits(config spec.Value) (Limits, error) {
	limits := DefaultLimits()
	err := spec.ReadConfig(config, map[string]spec.Setting{ // SW-13, SW-14
		"threshold":   spec.AtLeast(1, &limits.Threshold),
		"min_workers": spec.AtLeast(1, &limits.MinWorkers),
	})
	return limits, err
}

// CheckEvent implements [spec.EventChecker]: a call must say who made it.
func (d *Detector) CheckEvent(e spec.Event) error {
	if e.Type == spec.ToolCall && !e.HasWorker {
		d.log.Apply("SW-2")
		return spec.BadEvent("worker", "a tool call in a swarm must name its worker")
	}
	return nil
}

// Observe implements [spec.Detector].
func (d *Detector) Observe(e spec.Event) spec.Verdict {
	if e.Type != spec.ToolCall {
		d.log.Apply("SW-1")
		return spec.Verdict{}
	}
	d.log.Apply("SW-3")
	var room [usualBytes]byte
	key := fingerprint.Append(room[:0], e.Tool, e.Args)
	d.log.Apply("SW-4")
	d.log.Apply("SW-11")
	d.log.Apply("SW-5")
	count, workers := d.totals.count(key, e.Tool, e.Worker)
	if count == maxCount {
		d.log.Apply("SW-25")
	}
	trail := d.trail(key)
	trail.Add(e.Index)
	d.log.Apply("SW-6")
	d.log.Apply("SW-7")
	verdict := d.totals.limits.judge(e.Tool, count, workers)
	if verdict.Loop {
		d.log.Apply("SW-8")
		d.log.Apply("SW-9")
		d.log.Apply("SW-10")
		verdict.Evidence = trail.Last(count) // SW-10
	}
	return verdict
}

func (d *Detector) trail(fingerprint []byte) *spec.Trail {
	trail := d.trails[string(fingerprint)]
	if trail == nil {
		trail = &spec.Trail{}
		d.trails[string(fingerprint)] = trail
	}
	return trail
}

// Reset implements [spec.Detector].
func (d *Detector) Reset() {
	d.log.Apply("SW-15")
	d.totals.Reset()
	clear(d.trails)
}

// Snapshot implements [spec.Snapshotter].
func (d *Detector) Snapshot() spec.Value {
	d.log.Apply("SW-16")
	d.log.Apply("SW-17")
	return d.totals.Snapshot()
}

// Restore implements [spec.Snapshotter].
func (d *Detector) Restore(state spec.Value) error {
	if err := d.totals.Restore(state); err != nil {
		d.log.Apply("SW-23")
		return err
	}
	d.log.Apply("SW-18")
	d.log.Apply("SW-19")
	d.log.Apply("SW-24")
	clear(d.trails)
	return nil
}

// LogClauses implements [spec.ClauseLogger].
func (d *Detector) LogClauses(log *spec.ClauseLog) { d.log = log }

// nudge returns D1's text for a global doom loop, line breaks included.
func nudge(tool string, count, workers int) string {
	return fmt.Sprintf(`[System] GLOBAL DOOM LOOP: %d calls to %s across
%d workers. The entire swarm is stuck on this approach.
1. Try a fundamentally different strategy
2. Do NOT retry the same tool/parameters
3. Consider whether the task goal itself needs re-evaluation`, count, tool, workers)
}
