package mutation

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/loopstone/loopstone/internal/guard/mutation/plant"
	"github.com/loopstone/loopstone/spec"
)

// Outcome is how one mutant fared against the cases of its detectors.
type Outcome struct {
	plant.Mutant `json:"-"`
	Killers      []string // the cases that it was seen not to pass, those of its clauses first
	// Ended says how the mutant ended the process, or hung. Whoever starts it sees that: no case takes the credit.
	Ended string
}

// Killed reports whether the mutant is noticed.
func (o Outcome) Killed() bool { return len(o.Killers) > 0 || o.Ended != "" }

// request asks a judge which cases a mutant does not pass.
type request struct {
	Mutant    int
	Detectors []spec.DetectorID // those that the mutant's package is part of: their cases judge
	Clauses   []string          // those that the mutant is of
}

// Judge lets the cases judge every mutant of a built program, on all processors, and every breach (see [breaches]). An
// error means that not even the original passes all cases, or that no judge could be started.
func (b *Build) Judge(ctx context.Context) ([]Outcome, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	outcomes := make([]Outcome, 0, len(b.Program.Mutants)+len(breaches))
	for _, m := range append(broken(), b.Program.Mutants...) {
		outcomes = append(outcomes, Outcome{Mutant: m})
	}
	next := make(chan *Outcome)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			w := &child{command: b.judge}
			defer w.stop()
			for o := range next {
				if err := w.judge(ctx, o, request{o.ID, b.detectors(o.Mutant), o.Clauses}); err != nil {
					cancel(err)
					return
				}
			}
		})
	}
	for i := range outcomes {
		select {
		case next <- &outcomes[i]:
		case <-ctx.Done():
		}
	}
	close(next)
	workers.Wait()
	return outcomes, context.Cause(ctx)
}

// detectors returns the detectors that a mutant's package is part of; a breach is part of all.
func (b *Build) detectors(m plant.Mutant) []spec.DetectorID {
	var ids []spec.DetectorID
	for _, p := range spec.Detectors() {
		if m.ID < 0 {
			ids = append(ids, p.ID)
		}
		for _, user := range b.Program.Users[m.Package] {
			if path.Base(user) == string(p.ID) {
				ids = append(ids, p.ID)
			}
		}
	}
	return ids
}

// patience is how long a judge may be silent. The cases of all detectors together take a second; steps are counted, so
// that only what never calls the reference's own code runs into this.
const patience = 20 * time.Second

// rehearsal is how long it may take to run all cases with the original, on a machine that is busy.
const rehearsal = 10 * time.Minute

// child is a process that judges mutants; it is started when it is first asked, and again after it has ended.
type child struct {
	command []string
	process *exec.Cmd // nil where none is under way
	in      io.WriteCloser
	lines   chan string // closed when the process has ended
	stderr  strings.Builder
}

// judge fills in an outcome. It is an error if the process ends before it is ready: the original passes no longer.
func (w *child) judge(ctx context.Context, o *Outcome, r request) error {
	if w.process == nil {
		if err := w.start(ctx); err != nil {
			return err
		}
		if _, err := w.read(rehearsal); err != nil { // it is ready
			w.stop()
			return fmt.Errorf("judge the original: %w: %s", err, w.stderr.String())
		}
	}
	text, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write a request: %w", err)
	}
	if _, err = w.in.Write(append(text, '\n')); err == nil {
		text, err = w.read(patience)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		w.stop()
		o.Ended = err.Error()
		return nil
	default:
		return json.Unmarshal(text, o)
	}
}

func (w *child) start(ctx context.Context) error {
	process := exec.CommandContext(ctx, w.command[0], w.command[1:]...)
	w.stderr.Reset()
	process.Stderr = &w.stderr
	in, err := process.StdinPipe()
	if err != nil {
		return fmt.Errorf("start a judge: %w", err)
	}
	out, err := process.StdoutPipe()
	if err != nil {
		return fmt.Errorf("start a judge: %w", err)
	}
	if err := process.Start(); err != nil {
		return fmt.Errorf("start a judge: %w", err)
	}
	lines := make(chan string)
	w.process, w.in, w.lines = process, in, lines
	go func() { // ends with the process's output, which stop brings about
		defer close(lines)
		scanner := bufio.NewScanner(out)
		scanner.Buffer(nil, longestLine)
		for scanner.Scan() {
			lines <- scanner.Text()
		}
	}()
	return nil
}

// longestLine is how long a request or an answer may be, in bytes.
const longestLine = 1 << 20

func (w *child) read(limit time.Duration) ([]byte, error) {
	select {
	case line, ok := <-w.lines:
		if !ok {
			return nil, errors.New("the process died")
		}
		return []byte(line), nil
	case <-time.After(limit):
		return nil, fmt.Errorf("no end after %s", limit)
	}
}

// stop ends the process and waits for it.
func (w *child) stop() {
	if w.process == nil {
		return
	}
	w.in.Close()
	_ = w.process.Process.Kill() // it may have ended already
	for range w.lines {          // until the reader has seen the end
	}
	_ = w.process.Wait() // a killed process has no status to tell
	w.process = nil
}
