package score

import (
	"context"
	"errors"
	"runtime"
	"sync"
)

// unit is a part of a corpus that can be read by itself, beside others.
type unit struct {
	corpus *Corpus
	number int // of the corpus
	place  int // in the corpus
	read   func(ctx context.Context, in intake) error
	rest   bool // goes on where this one cannot be read
}

// unitResult is all that was found in a unit. It can be written and read again, so that a corpus can be judged on many
// machines.
type unitResult struct {
	Corpus  int      `json:"corpus"`
	Unit    int      `json:"unit"`
	Runs    []Result `json:"runs,omitempty"`
	Notes   []string `json:"notes,omitempty"`
	Problem string   `json:"problem,omitempty"` // why some of it could not be read

	misfits []string // the places of runs that their labels do not fit
}

func unitsOf(corpora []*Corpus) ([]unit, error) {
	var all []unit
	for i, corpus := range corpora {
		units, err := corpus.list()
		if err != nil {
			return nil, err
		}
		for k, u := range units {
			u.corpus, u.number, u.place = corpus, i, k
			all = append(all, u)
		}
	}
	return all, nil
}

// visit reads the unit, and hands on its runs as labels and a sample change them. What is wrong with a log, or with the
// label of a run, is a problem of the result if the rest of its corpus goes on.
func (u unit) visit(ctx context.Context, each func(*Run) error) (unitResult, error) {
	found := unitResult{Corpus: u.number, Unit: u.place}
	var refused, unfit error
	err := u.read(ctx, intake{
		note: func(text string) { found.Notes = append(found.Notes, text) },
		each: func(run *Run) error {
			if err := u.corpus.change(run); err != nil {
				unfit, found.misfits = errors.Join(unfit, err), append(found.misfits, run.Place)
				return nil
			}
			if run.unweighed {
				found.Notes = append(found.Notes, withoutWeight)
			}
			if refused = ctx.Err(); refused == nil {
				refused = each(run)
			}
			return refused
		},
	})
	err = errors.Join(err, unfit)
	switch {
	case refused != nil:
		return found, refused
	case err != nil && !u.rest:
		return found, err
	case err != nil:
		found.Problem = err.Error()
	}
	return found, ctx.Err()
}

// judge reads the unit and shows its runs to the contenders.
func (u unit) judge(ctx context.Context, contenders []Contender) (unitResult, error) {
	var runs []Result
	found, err := u.visit(ctx, func(run *Run) error {
		one, err := judge(ctx, run, contenders)
		runs = append(runs, one)
		return err
	})
	found.Runs = runs
	return found, err
}

func judge(ctx context.Context, run *Run, contenders []Contender) (Result, error) {
	steps, of := run.Steps()
	j := Result{Run: *run, Steps: len(steps), Responses: make([]Response, len(contenders))}
	j.Run.Events = nil
	for i, c := range contenders {
		var err error
		if j.Responses[i], err = c.try(ctx, run, of, len(steps)); err != nil {
			return j, err
		}
	}
	for _, rule := range pairRules() {
		var a Agreement
		a.add(run.Pairs, rule.said(steps))
		j.Rules = append(j.Rules, a)
	}
	return j, nil
}

// judgeAll shows all runs of the corpora to all contenders, and hands on in order what they said.
func judgeAll(
	ctx context.Context, corpora []*Corpus, contenders []Contender, progress Progress, each func(*Corpus, Result),
) error {
	units, err := unitsOf(corpora)
	if err != nil {
		return err
	}
	done := 0
	return inOrder(ctx, units, contenders, func(found unitResult) error {
		c := corpora[found.Corpus]
		c.take(found, func(r Result) { each(c, r) })
		if done++; progress != nil {
			progress(done, len(units))
		}
		return nil
	})
}

// inOrder judges units on all cores, and hands on what was found in their order. Only a few are under way or wait at a
// time. The first error, in that order, ends it.
func inOrder(ctx context.Context, units []unit, contenders []Contender, take func(unitResult) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	type found struct {
		result unitResult
		err    error
	}
	ahead := make(chan chan found, 2*runtime.GOMAXPROCS(0))
	var workers sync.WaitGroup
	defer workers.Wait()
	workers.Go(func() {
		defer close(ahead)
		for _, u := range units {
			one := make(chan found, 1)
			select {
			case ahead <- one:
			case <-ctx.Done():
				return
			}
			workers.Go(func() {
				p, err := u.judge(ctx, contenders)
				one <- found{p, err}
			})
		}
	})
	for one := range ahead {
		f := <-one
		if f.err == nil {
			f.err = take(f.result)
		}
		if f.err != nil {
			stop()
			return f.err
		}
	}
	return ctx.Err()
}
