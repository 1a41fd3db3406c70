package strength

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/loopstone/loopstone/spec"
)

// Request asks a worker which cases a mutant does not pass; or, where it names a case, which of its steps it takes.
type Request struct {
	Mutant    int               `json:"mutant,omitempty"`
	Detectors []spec.DetectorID `json:"detectors,omitempty"` // those that the mutant's package is part of: their cases judge
	Without   []string          `json:"without,omitempty"`   // cases that are left out
	Aloud     bool              `json:"aloud,omitempty"`     // each case is announced before it is run

	Case    string `json:"case,omitempty"`
	Mutants []int  `json:"mutants,omitempty"` // that the case kills
}

// Answer is a worker's answer.
type Answer struct {
	Mutant  int      `json:"mutant,omitempty"`
	Killers []string `json:"killers,omitempty"`  // the cases that the mutant does not pass, in the order of the suite
	NoStart string   `json:"no_start,omitempty"` // why no case was run: the mutant panics when it is initialised
	Trying  string   `json:"trying,omitempty"`   // the case that is run next; the answer proper follows

	Case  string `json:"case,omitempty"`
	Steps []int  `json:"steps,omitempty"` // those without which the case kills less, from 1
}

// LongestLine is how long a request or an answer may be, in bytes.
const LongestLine = 1 << 24

// patience is how long a worker may be silent. The cases of all detectors together take a tenth of a second; steps are
// counted, so that only what never calls the reference's own code runs into this.
const patience = 20 * time.Second

// worker is a process that judges mutants; it is started when it is first asked, and again after it has ended.
type worker struct {
	path    string
	command *exec.Cmd // nil where no process is under way
	in      io.WriteCloser
	lines   chan string // closed when the process has ended
	stderr  strings.Builder
}

func (w *worker) start(ctx context.Context) error {
	command := exec.CommandContext(ctx, w.path)
	w.stderr.Reset()
	command.Stderr = &w.stderr
	in, err := command.StdinPipe()
	if err != nil {
		return fmt.Errorf("start a worker: %w", err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return fmt.Errorf("start a worker: %w", err)
	}
	if err := command.Start(); err != nil {
		return fmt.Errorf("start a worker: %w", err)
	}
	lines := make(chan string)
	w.command, w.in, w.lines = command, in, lines
	go func() { // ends with the process's output, which stop brings about
		defer close(lines)
		scanner := bufio.NewScanner(out)
		scanner.Buffer(nil, LongestLine)
		for scanner.Scan() {
			lines <- scanner.Text()
		}
	}()
	return nil
}

// ask returns the worker's answer; an error means that the process has ended, or never began. The answer then names the
// case that was under way, where the request is that cases are announced.
func (w *worker) ask(ctx context.Context, r Request) (Answer, error) {
	if w.command == nil {
		if err := w.start(ctx); err != nil {
			return Answer{}, err
		}
	}
	request, err := json.Marshal(r)
	if err != nil {
		return Answer{}, fmt.Errorf("write a request: %w", err)
	}
	if _, err := w.in.Write(append(request, '\n')); err != nil {
		w.stop()
		return Answer{}, fmt.Errorf("the process has ended: %w", err)
	}
	for trying := ""; ; {
		answer, err := w.read()
		if err != nil {
			w.stop()
			return Answer{Trying: trying}, err
		}
		if answer.Trying == "" {
			return answer, nil
		}
		trying = answer.Trying
	}
}

func (w *worker) read() (a Answer, err error) {
	select {
	case line, ok := <-w.lines:
		if !ok {
			return a, errors.New("the process died")
		}
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			return a, fmt.Errorf("read an answer: %w", err)
		}
		return a, nil
	case <-time.After(patience):
		return a, fmt.Errorf("no end after %s", patience)
	}
}

// stop ends the process and waits for it.
func (w *worker) stop() {
	if w.command == nil {
		return
	}
	w.in.Close()
	_ = w.command.Process.Kill() // it may have ended already
	for range w.lines {          // until the reader has seen the end
	}
	_ = w.command.Wait() // a killed process has no status to tell
	w.command = nil
}
