package score

import (
	"context"
	"runtime"
	"sync"
)

// job is a unit of a corpus that is to be judged.
type job struct {
	corpus, place int // of the corpus, and of the unit in it
	path          string
	unit          unit
}

// unitResult is all that was found in a unit. It can be written and read again, so that a corpus can be judged on many
// machines.
type unitResult struct {
	Corpus  int      `json:"corpus"`
	Unit    int      `json:"unit"`
	Runs    []judged `json:"runs,omitempty"`
	Notes   []string `json:"notes,omitempty"`
	Problem string   `json:"problem,omitempty"` // why some of it could not be read
}

// judged is a run with what all contenders said of it.
type judged struct {
	Run    Run         `json:"run"` // without its events
	Steps  int         `json:"steps"`
	Trials []Trial     `json:"trials"` // one for each contender
	Rules  []Agreement `json:"rules"`  // one for each rule of pairs
}

func jobsOf(corpora []*Corpus) ([]job, error) {
	var jobs []job
	for i, corpus := range corpora {
		units, err := corpus.units()
		if err != nil {
			return nil, err
		}
		for k, u := range units {
			jobs = append(jobs, job{i, k, corpus.Path, u})
		}
	}
	return jobs, nil
}

// judge reads a unit and shows its runs to the contenders.
func (j job) judge(ctx context.Context, contenders []Contender) (unitResult, error) {
	p := unitResult{Corpus: j.corpus, Unit: j.place}
	var refused error
	err := j.unit.read(ctx, intake{
		note: func(text string) { p.Notes = append(p.Notes, text) },
		each: func(run *Run) error {
			var one judged
			if one, refused = judge(ctx, run, contenders); refused == nil {
				p.Runs = append(p.Runs, one)
			}
			return refused
		},
	})
	switch {
	case refused != nil:
		return p, refused
	case err != nil && !j.unit.rest:
		return p, err
	case err != nil:
		p.Problem = err.Error()
	}
	return p, ctx.Err()
}

func judge(ctx context.Context, run *Run, contenders []Contender) (judged, error) {
	steps, of := run.Steps()
	j := judged{Run: *run, Steps: len(steps), Trials: make([]Trial, len(contenders))}
	j.Run.Events = nil
	for i, c := range contenders {
		var err error
		if j.Trials[i], err = c.try(ctx, run, of, len(steps)); err != nil {
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

// inOrder judges jobs on all cores, and hands on what was found in the order of the jobs. Only a few are under way or
// wait at a time. The first error, in that order, ends it.
func inOrder(ctx context.Context, jobs []job, contenders []Contender, take func(unitResult) error) error {
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
		for _, j := range jobs {
			one := make(chan found, 1)
			select {
			case ahead <- one:
			case <-ctx.Done():
				return
			}
			workers.Go(func() {
				p, err := j.judge(ctx, contenders)
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
