package strength

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/loopstone/loopstone/conformance/strength/mutant"
	"github.com/loopstone/loopstone/conformance/strength/mutation"
	"github.com/loopstone/loopstone/spec"
)

// Request asks a worker to judge a mutant by the cases of the detectors that its package is part of.
type Request struct {
	Mutant    int               `json:"mutant"`
	Clause    string            `json:"clause"` // that the mutant breaks; its cases come first
	Detectors []spec.DetectorID `json:"detectors"`
}

// Answer names cases that a mutant does not pass, each once, in the order of the suite: all that cite its clause, or
// else the first few.
type Answer struct {
	Mutant      int      `json:"mutant"`
	Killers     []string `json:"killers"`
	ByItsClause bool     `json:"by_its_clause"`
}

// Outcome is how one mutant fared.
type Outcome struct {
	Mutant    mutation.Mutant
	Detectors []spec.DetectorID // the detectors that the mutant is part of
	Killers   []string
	// ByItsClause tells that a case that cites the mutant's clause is among the killers.
	ByItsClause bool
	Crashed     string // how the worker ended or hung while it judged the mutant; empty where it did not
}

// Killed reports whether the suite notices the mutant.
func (o Outcome) Killed() bool { return len(o.Killers) > 0 || o.Crashed != "" }

// patience is how long a worker may take for one mutant. The cases of all detectors together take a tenth of a second;
// steps are counted, so that only what never calls the reference's own code runs into this.
const patience = 20 * time.Second

// Judge lets the cases judge every mutant of a built program, on all processors.
// An error means that not even the original passes all cases, or that no worker could be started.
func (b *Build) Judge(ctx context.Context, mutants []mutation.Mutant) ([]Outcome, error) {
	if err := b.checkOriginal(ctx); err != nil {
		return nil, err
	}
	outcomes := make([]Outcome, len(mutants))
	next := make(chan int)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			if err := b.judgeAll(ctx, next, mutants, outcomes); err != nil {
				cancel(err)
			}
		})
	}
	for i := range mutants {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	return outcomes, context.Cause(ctx)
}

// checkOriginal makes sure that the cases accept the reference as it is: else they would kill everything.
func (b *Build) checkOriginal(ctx context.Context) error {
	w, err := startWorker(ctx, b.Worker)
	if err != nil {
		return err
	}
	defer w.stop()
	var all []spec.DetectorID
	for _, p := range spec.Profiles() {
		all = append(all, p.ID)
	}
	answer, err := w.ask(Request{Mutant: mutant.Original, Detectors: all})
	switch {
	case err != nil:
		w.stop()
		return fmt.Errorf("judge the original: %w: %s", err, w.stderr.String())
	case len(answer.Killers) > 0:
		return fmt.Errorf("the original does not pass %v", answer.Killers)
	}
	return nil
}

// judgeAll judges the mutants whose positions come over the channel, with one worker process at a time.
func (b *Build) judgeAll(ctx context.Context, next <-chan int, mutants []mutation.Mutant, outcomes []Outcome) error {
	var w *worker
	defer func() { w.stop() }()
	for i := range next {
		o := Outcome{Mutant: mutants[i], Detectors: b.detectors(mutants[i])}
		if w == nil {
			var err error
			if w, err = startWorker(ctx, b.Worker); err != nil {
				return err
			}
		}
		answer, err := w.ask(Request{o.Mutant.ID, o.Mutant.Clause, o.Detectors})
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			o.Crashed = err.Error()
			w.stop()
			w = nil
		}
		o.Killers, o.ByItsClause = answer.Killers, answer.ByItsClause
		outcomes[i] = o
	}
	return nil
}

// detectors returns the detectors that a mutant's package is part of.
func (b *Build) detectors(m mutation.Mutant) []spec.DetectorID {
	var ids []spec.DetectorID
	for _, user := range b.Program.Users(m.Package) {
		id := spec.DetectorID(user[strings.LastIndex(user, "/")+1:])
		if _, known := spec.ProfileOf(id); known {
			ids = append(ids, id)
		}
	}
	return ids
}

// worker is a process that judges mutants.
type worker struct {
	command *exec.Cmd
	in      io.WriteCloser
	lines   chan string // closed when the process has ended
	stderr  strings.Builder
}

func startWorker(ctx context.Context, path string) (*worker, error) {
	w := &worker{command: exec.CommandContext(ctx, path, "judge"), lines: make(chan string)}
	w.command.Stderr = &w.stderr
	in, err := w.command.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	out, err := w.command.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	if err := w.command.Start(); err != nil {
		return nil, fmt.Errorf("start a worker: %w", err)
	}
	w.in = in
	go func() { // ends with the process's output, which stop brings about
		defer close(w.lines)
		scanner := bufio.NewScanner(out)
		scanner.Buffer(nil, 1<<24)
		for scanner.Scan() {
			w.lines <- scanner.Text()
		}
	}()
	return w, nil
}

// ask returns the worker's answer; an error means that the worker cannot be asked any more.
func (w *worker) ask(r Request) (Answer, error) {
	request, err := json.Marshal(r)
	if err != nil {
		return Answer{}, fmt.Errorf("write a request: %w", err)
	}
	if _, err := w.in.Write(append(request, '\n')); err != nil {
		return Answer{}, fmt.Errorf("the process has ended: %w", err)
	}
	select {
	case line, ok := <-w.lines:
		if !ok {
			return Answer{}, errors.New("the process died")
		}
		var a Answer
		err := json.Unmarshal([]byte(line), &a)
		return a, err
	case <-time.After(patience):
		return Answer{}, fmt.Errorf("no end after %s", patience)
	}
}

// stop ends the process and waits for it.
func (w *worker) stop() {
	if w == nil {
		return
	}
	w.in.Close()
	_ = w.command.Process.Kill() // it may have ended already
	for range w.lines {          // until the reader has seen the end
	}
	_ = w.command.Wait() // a killed process has no status to tell
}
