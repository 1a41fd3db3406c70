package fuzz

import (
	"context"
	"sync"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

// cache holds what a port said to traces, by their JSON, so that checks that compare with the verdicts of the same
// trace ask for them once. Several checks may ask at once: the first plays, and the others wait for it. The zero cache
// is empty.
type cache struct{ said sync.Map }

// Recall implements [laws.Recaller], where the recorder has a cache. What is remembered is told like what is played: a
// check rests on it just as well.
func (r *recorder) Recall(ctx context.Context, trace laws.Trace) ([]spec.Value, error) {
	if r.cache == nil {
		return laws.Play(ctx, r, trace)
	}
	isNew := false
	play := sync.OnceValues(func() ([]spec.Value, error) {
		isNew = true
		return laws.Play(ctx, r, trace)
	})
	said, _ := r.cache.said.LoadOrStore(Subject{Trace: trace}.Value().String(), play)
	verdicts, err := said.(func() ([]spec.Value, error))()
	if !isNew && len(trace.Steps) > 0 {
		r.told(request{action: opened, err: err})
		r.told(request{action: cases.Observe, verdicts: verdicts, err: err})
	}
	return verdicts, err
}
