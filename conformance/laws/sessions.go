package laws

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

var resetIsFresh = Law{
	ID:      "reset-is-fresh",
	General: true,
	Own: map[spec.DetectorID][]string{
		spec.Fingerprint: {"FP-5"}, spec.Signature: {"SG-33"}, spec.History: {"HI-5"}, spec.Crow: {"CR-58"},
		spec.Swarm: {"SW-15"}, spec.Ralph: {"RA-10"}, spec.Guards: {"GU-15"}, spec.Composed: {"CO-39"},
		spec.Stream: {"ST-19"},
	},
	Clause: "PR-16",
	Sentence: "After a reset, a session gives the same verdicts as a new one with the same configuration; " +
		"only the index continues.",
	Why: "What is left of the task before stops the next one, or keeps its loops from being seen.",
	check: func(a *asking, t Trace) {
		t = t.Single()
		var before []Step
		if len(t.Steps) >= longTrace {
			before = []Step{{}, {}} // the reset that counts is the third
		}
		before = slices.Concat(before, t.Steps, []Step{{}})
		fresh := a.play(t)
		twice := a.play(t.with(slices.Concat(before, t.Steps)))
		want := lists.Map(fresh, func(v spec.Value) spec.Value { return moveEvidence(v, len(t.Events())) })
		a.same("after the same trace and a reset", want, twice[len(before):])
	},
}

// moveEvidence returns a verdict whose events stand later in the session.
func moveEvidence(v spec.Value, by int) spec.Value {
	evidence := v.Get("evidence")
	if evidence.IsAbsent() {
		return v
	}
	var indices []int
	for _, item := range evidence.Items() {
		index, _ := item.Whole()
		indices = append(indices, index+by)
	}
	return v.With("evidence", spec.IntsValue(indices))
}

var isolation = Law{
	ID:       "isolation",
	General:  true,
	Clause:   "PR-18",
	Sentence: "What one session observes does not influence another.",
	Why:      "One process serves many agents; one of them must not be stopped for what another did.",
	ByEvent:  true,
	check: func(a *asking, t Trace) {
		t = t.Single()
		alone := a.play(t)
		var steps []Step
		for i, s := range t.Steps {
			other := t.Steps[len(t.Steps)-1-i]
			other.Session = 1
			steps = append(steps, s, other)
		}
		all := a.play(t.with(steps))
		own := make([]spec.Value, len(alone))
		for i := range own {
			own[i] = all[2*i]
		}
		a.same("with the same steps backwards in a session beside it", alone, own)
	},
}

// Paired is a Port that runs in two processes, so that a snapshot of one can be restored in the other.
type Paired interface {
	// Other returns the port of the other process, which is started when it is first asked for. A port that has no
	// other process returns itself.
	Other(ctx context.Context) (spec.Port, error)
}

// What costs more requests, a law asks only of a trace that is long anyway.
const (
	longTrace   = 12 // steps
	longSession = 50 // events; some ports keep fewer
)

// repeated returns steps over and over, until there are more than n.
func repeated(steps []Step, n int) []Step { return slices.Repeat(steps, n/max(len(steps), 1)+1) }

var snapshotContinuation = Law{
	ID:      "snapshot-continuation",
	General: true,
	Own: map[spec.DetectorID][]string{
		spec.Fingerprint: {"FP-43"}, spec.Signature: {"SG-34"}, spec.History: {"HI-25"}, spec.Crow: {"CR-59"},
		spec.Swarm: {"SW-18"}, spec.Ralph: {"RA-11"}, spec.Guards: {"GU-16"}, spec.Composed: {"CO-41"},
		spec.Stream: {"ST-20"},
	},
	Sentence: "A session that is restored from a snapshot gives the same verdicts as the original session, " +
		"and after a reset those of a new one, except for evidence.",
	Why:   "An agent that is resumed on another machine starts to loop unseen, or is stopped for nothing.",
	Needs: []spec.Feature{spec.Snapshots},
	check: func(a *asking, t Trace) {
		t = t.Single()
		half := len(t.Steps) / 2
		whole, state := withoutEvidence(a.play(t)), a.stateAfter(t.with(t.Steps[:half]))
		a.resume(t, whole, state)
		if len(t.Steps) < longTrace {
			return
		}
		long, rest := t.with(repeated(t.Steps[:half], longSession)), t.with(t.Steps[half:])
		whole = withoutEvidence(a.play(t.with(slices.Concat(long.Steps, rest.Steps))))
		got := withoutEvidence(a.playFrom(rest, a.stateAfter(long), again{}))
		a.sameFrom(half, fmt.Sprintf("restored after more than %d events", longSession), "", whole[len(long.Steps):], got)
	},
}

// resume demands the verdicts of the whole trace from one session that is restored in the middle, reset, and restored
// once more, from a snapshot that was taken after the first restore. What a port does wrong only in a session that was
// restored shows in what follows the reset.
func (a *asking) resume(t Trace, whole []spec.Value, state spec.Value) {
	half := len(t.Steps) / 2
	late := lastLoop(whole, half)
	reset := []Step{{}}
	told := slices.Concat(t.Steps[half:], reset, t.Steps[:half], reset, t.Steps[late:])
	fresh := len(t.Steps) - half + 1 // where what follows the first reset begins
	second := again{taken: late - half, restored: fresh + half + 1}
	got := withoutEvidence(a.playFrom(t.with(told), state, second))
	a.sameFrom(half, "restored in the middle", "", whole[half:], got)
	a.sameFrom(0, "reset after a restore", "PR-16", whole[:half], got[fresh:])
	a.sameFrom(late, "restored a second time, from a snapshot of the restored session", "PR-51",
		whole[late:], got[second.restored:])
}

// lastLoop returns the place of the last verdict that is a loop, after a place; where there is none, a place half way
// between that one and the end.
func lastLoop(verdicts []spec.Value, after int) int {
	for i := len(verdicts) - 1; i > after; i-- {
		if verdicts[i].Get("loop").IsTrue() {
			return i
		}
	}
	return after + (len(verdicts)-after+1)/2
}

// stateAfter returns the snapshot of a session that was told the trace.
func (a *asking) stateAfter(t Trace) (state spec.Value) {
	a.tell(t, func(ctx context.Context, port spec.Port, t Trace) (verdicts []spec.Value, err error) {
		p := player{port: port, trace: t, sessions: map[int]spec.Session{}}
		defer func() { err = errors.Join(err, p.close(ctx)) }()
		if verdicts, err = p.tellAll(ctx, len(t.Steps)); err != nil {
			return nil, err
		}
		session, err := p.session(ctx, 0)
		if err == nil {
			state, err = session.Snapshot(ctx)
		}
		return verdicts, refusedAs(snapshotMethod, err)
	})
	return state
}

// again says before which steps a session that was restored is asked for a snapshot, and restored from that; 0 for
// never.
type again struct{ taken, restored int }

// playFrom tells a trace to a session that was restored from a state, in another process where the port has one.
func (a *asking) playFrom(t Trace, state spec.Value, second again) []spec.Value {
	return a.tell(t, func(ctx context.Context, port spec.Port, t Trace) (verdicts []spec.Value, err error) {
		refusal := "its own snapshot is refused"
		if paired, ok := port.(Paired); ok {
			refusal = "another process of it refuses its snapshot"
			if port, err = paired.Other(ctx); err != nil {
				return nil, err
			}
		}
		restore := func(ctx context.Context, s spec.Session) error {
			err := s.Restore(ctx, state)
			if fault, refused := errors.AsType[*spec.Fault](err); refused {
				return &Breach{Law: a.law, Step: -1, Problem: fmt.Sprintf("%s: %v", refusal, fault)}
			}
			return err
		}
		p := player{port: port, trace: t, sessions: map[int]spec.Session{}, before: map[int]demand{}}
		defer func() { err = errors.Join(err, p.close(ctx)) }()
		p.before[second.restored] = restore
		p.before[second.taken] = func(ctx context.Context, s spec.Session) (err error) {
			state, err = s.Snapshot(ctx)
			refusal = "a snapshot of a restored session is refused"
			return refusedAs(snapshotMethod, err)
		}
		p.before[0] = restore
		return p.tellAll(ctx, len(t.Steps))
	})
}
