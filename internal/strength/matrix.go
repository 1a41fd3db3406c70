package strength

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/loopstone/loopstone/internal/strength/mutant"
	"github.com/loopstone/loopstone/internal/strength/mutation"
	"github.com/loopstone/loopstone/spec"
)

// Outcome is how one mutant fared against all cases of its detectors.
type Outcome struct {
	Mutant    mutation.Mutant
	Detectors []spec.DetectorID // the detectors that the mutant is part of
	Killers   []string          // the cases that it does not pass
	// Crashed says of some of the killers how the worker ended or hung during them.
	Crashed map[string]string
	// NoStart says how a mutant panics before any case is run. Whoever starts it sees that: no case takes the credit.
	NoStart string
}

// Killed reports whether the mutant is noticed.
func (o Outcome) Killed() bool { return len(o.Killers) > 0 || o.NoStart != "" }

// Judge lets the cases judge every mutant of a built program, on all processors.
// An error means that not even the original passes all cases, or that no worker could be started.
func (b *Build) Judge(ctx context.Context, mutants []mutation.Mutant) ([]Outcome, error) {
	if err := b.checkOriginal(ctx); err != nil {
		return nil, err
	}
	outcomes := make([]Outcome, len(mutants))
	err := b.share(ctx, len(mutants), func(ctx context.Context, i int, w *worker) (err error) {
		outcomes[i], err = b.judge(ctx, mutants[i], w)
		return err
	})
	return outcomes, err
}

// share gives n pieces of work to one worker process on each processor. The first error ends it.
func (b *Build) share(ctx context.Context, n int, do func(context.Context, int, *worker) error) error {
	next := make(chan int)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			w := &worker{path: b.Worker}
			defer w.stop()
			for i := range next {
				if err := do(ctx, i, w); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	for i := range n {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	return context.Cause(ctx)
}

// checkOriginal makes sure that a worker starts, which needs that the original passes all cases.
func (b *Build) checkOriginal(ctx context.Context) error {
	w := &worker{path: b.Worker}
	defer w.stop()
	if _, err := w.ask(ctx, Request{Mutant: mutant.Original}); err != nil {
		w.stop()
		return fmt.Errorf("judge the original: %w: %s", err, w.stderr.String())
	}
	return nil
}

// mostCrashes is how many cases may end the process that judges a mutant before the rest is given up: each takes a new
// process. It is no loss: the mutant is dead.
const mostCrashes = 4

// judge lets the cases judge one mutant. One that ends the process is asked again, aloud, so that it shows which case
// it was; the kill belongs to that case, and the others go on without it.
func (b *Build) judge(ctx context.Context, m mutation.Mutant, w *worker) (Outcome, error) {
	o := Outcome{Mutant: m, Detectors: b.detectors(m), Crashed: map[string]string{}}
	request := Request{Mutant: m.ID, Detectors: o.Detectors}
	for {
		answer, err := w.ask(ctx, request)
		switch {
		case err == nil:
			o.Killers = append(o.Killers, answer.Killers...)
			o.NoStart = answer.NoStart
			return o, nil
		case ctx.Err() != nil:
			return o, context.Cause(ctx)
		case !request.Aloud:
			request.Aloud = true
			continue
		case answer.Trying == "":
			return o, fmt.Errorf("judge mutant %d: %w: %s", m.ID, err, w.stderr.String())
		}
		o.Killers = append(o.Killers, answer.Trying)
		o.Crashed[answer.Trying] = err.Error()
		request.Without = append(request.Without, answer.Trying)
		if len(o.Crashed) == mostCrashes {
			return o, nil
		}
	}
}

// detectors returns the detectors that a mutant's package is part of.
func (b *Build) detectors(m mutation.Mutant) []spec.DetectorID {
	var ids []spec.DetectorID
	for _, user := range b.Program.Users(m.Package) {
		id := spec.DetectorID(user[strings.LastIndex(user, "/")+1:])
		if _, known := spec.DefinitionOf(id); known {
			ids = append(ids, id)
		}
	}
	return ids
}
