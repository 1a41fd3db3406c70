package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/loopstone/loopstone/tools/mutation/plant"
)

// outcome is how one mutant fared against the cases of its detectors.
type outcome struct {
	plant.Mutant `json:"-"`
	Killers      []string // the cases that it was seen not to pass, those of its clauses first
	// Ended says how the mutant ended the process, or hung. Whoever starts it sees that: no case takes the credit.
	Ended string
}

// isKilled reports whether the mutant is noticed.
func (o outcome) isKilled() bool { return len(o.Killers) > 0 || o.Ended != "" }

// judgeAll lets the cases judge mutants, and every breach (see [breaches]), by processes of a program that carries
// them: one for each processor, which judges every so many. An error means that not even the original passes all cases,
// or that the program cannot be started.
func judgeAll(ctx context.Context, program []string, mutants []plant.Mutant) ([]outcome, error) {
	var outcomes []outcome
	for _, m := range append(broken(), mutants...) {
		outcomes = append(outcomes, outcome{Mutant: m})
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stride := runtime.GOMAXPROCS(0)
	var workers sync.WaitGroup
	for worker := range stride {
		workers.Go(func() {
			for i := worker; i < len(outcomes) && ctx.Err() == nil; {
				next, err := judgeFrom(ctx, program, outcomes, i, stride)
				if err != nil {
					cancel(err)
				}
				i = next
			}
		})
	}
	workers.Wait()
	return outcomes, context.Cause(ctx)
}

// A process that judges may be silent for so long: before it is ready, while it runs all cases with the original, and
// then for each mutant. Steps are counted, so that only what never calls the reference's own code runs into the latter.
const (
	rehearsal = 10 * time.Minute
	patience  = 3 * time.Minute // two equivalent mutants match all of a long line at each of its characters
)

// judgeFrom starts a process that judges every stride-th mutant from the first on. It returns the first that is not
// judged: the process has judged all up to that, or it has ended at the one before.
func judgeFrom(ctx context.Context, program []string, outcomes []outcome, first, stride int) (int, error) {
	ctx, hangs := context.WithCancel(ctx)
	defer hangs()
	args := slices.Concat(program[1:], []string{"judge", strconv.Itoa(first), strconv.Itoa(stride)})
	process := exec.CommandContext(ctx, program[0], args...)
	var stderr bytes.Buffer
	process.Stderr = &stderr
	out, err := process.StdoutPipe()
	if err != nil {
		return first, fmt.Errorf("start a judge: %w", err)
	}
	if err := process.Start(); err != nil {
		return first, fmt.Errorf("start a judge: %w", err)
	}
	silent := time.AfterFunc(rehearsal, hangs)
	defer silent.Stop()
	answers := json.NewDecoder(out)
	var original outcome
	ready := answers.Decode(&original)
	for i := first; ready == nil && i < len(outcomes); i += stride {
		silent.Reset(patience)
		if err := answers.Decode(&outcomes[i]); err != nil {
			hangs() // it may be at work still, on what nobody waits for
			ended := errors.Join(err, process.Wait())
			outcomes[i].Ended = ended.Error()
			return i + stride, nil
		}
	}
	if err := errors.Join(ready, process.Wait()); err != nil {
		return first, fmt.Errorf("judge the original: %w: %s", err, &stderr)
	}
	return len(outcomes), nil
}
