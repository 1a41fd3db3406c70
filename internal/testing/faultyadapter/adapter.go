//go:build unix

package faultyadapter

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// Env is the environment variable that tells a test binary which faulty adapter to be.
const Env = "LOOPSTONE_FAULTY_ADAPTER"

const (
	// defaultAnswer is the answer that an adapter spoils where its name does not say: the one to the first request
	// after initialize and session/open.
	defaultAnswer = 3
	// lifetime bounds what an adapter does for ever, so that nothing is left of a test that was itself killed.
	lifetime = 5 * time.Minute
)

// Adapter is one way to misbehave.
type Adapter struct {
	Name  string
	About string // what it does
	// Reason is what a client must report of it; empty where a client must get along with it.
	Reason stdio.Reason

	// spoil decides about one answer: it prints what takes the answer's place and returns true, or returns false where
	// this answer does not suit, so that the next one is asked about. Nil spoils nothing.
	spoil  func(s *stage, line []byte) bool
	answer int // the number of the answer that is spoilt where the name does not say; 0: the usual one
	// start runs before the adapter serves, end after it served.
	start, end func()
}

// Command returns how to start this very binary as a faulty adapter. The name may say which answer is spoilt, counted
// from 1: hang@5.
func Command(name string) (stdio.Command, error) {
	if _, err := parse(name); err != nil {
		return stdio.Command{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return stdio.Command{}, fmt.Errorf("find this binary: %w", err)
	}
	return stdio.Command{Path: self, Env: []string{Env + "=" + name}}, nil
}

// MainIfAsked makes the process a faulty adapter, and exits, where the environment says so; it does nothing otherwise.
// The adapter serves the port where it does not misbehave.
func MainIfAsked(port spec.Port) {
	if name := os.Getenv(Env); name != "" {
		os.Exit(run(name, port))
	}
}

// run is an adapter's whole life, on stdin and stdout. It returns the exit status.
func run(name string, port spec.Port) int {
	if name == sleeper {
		sleep()
		return 0
	}
	adapter, err := parse(name)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 64
	}
	if adapter.start != nil {
		adapter.start()
	}
	if err := adapter.serve(port); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if adapter.end != nil {
		adapter.end()
	}
	return 0
}

func (a Adapter) serve(port spec.Port) error {
	if a.spoil == nil {
		return stdio.Serve(context.Background(), port, os.Stdin, os.Stdout)
	}
	s := &stage{spoil: a.spoil, next: a.answer}
	return stdio.Serve(context.Background(), port, io.TeeReader(os.Stdin, requests{s}), s)
}

// at sets which answer is spoilt.
func (a Adapter) at(answer int) Adapter {
	a.answer = answer
	return a
}

// parse returns the adapter of a name such as hang@5.
func parse(name string) (Adapter, error) {
	name, number, numbered := strings.Cut(name, "@")
	all := Adapters()
	i := slices.IndexFunc(all, func(a Adapter) bool { return a.Name == name })
	if i < 0 {
		return Adapter{}, fmt.Errorf("no faulty adapter is called %q", name)
	}
	adapter := all[i]
	if !numbered {
		return adapter.at(cmp.Or(adapter.answer, defaultAnswer)), nil
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 {
		return Adapter{}, fmt.Errorf("adapter %s: want the number of an answer, from 1, got %q", name, number)
	}
	return adapter.at(n), nil
}

// stage stands between an honest server and stdout. It passes answers on until the one that is to be spoilt.
type stage struct {
	spoil func(s *stage, line []byte) bool
	next  int    // the number of the answer to be spoilt, from 1; later ones where that does not suit
	n     int    // the number of the current answer
	rest  []byte // of an answer that has not come whole
	down  bool   // shutdown was asked for
	open  int    // sessions
}

// requests sees what the server reads before the server does.
type requests struct{ stage *stage }

// Write implements [io.Writer]. The server answers only after it has read, so that the stage knows in time.
func (r requests) Write(p []byte) (int, error) {
	r.stage.open += bytes.Count(p, []byte(`"session/open"`)) - bytes.Count(p, []byte(`"session/close"`))
	r.stage.down = r.stage.down || bytes.Contains(p, []byte(`"method":"shutdown"`))
	return len(p), nil
}

// Write implements [io.Writer].
func (s *stage) Write(p []byte) (int, error) {
	s.rest = append(s.rest, p...)
	for {
		line, rest, whole := bytes.Cut(s.rest, []byte{'\n'})
		if !whole {
			return len(p), nil
		}
		s.rest = rest
		s.n++
		if s.n < s.next || !s.spoil(s, line) {
			emit(string(line) + "\n")
		}
	}
}

// emit writes to stdout as it stands. Where nobody reads any more, an adapter has no reason to go on.
func emit(text string) {
	if _, err := os.Stdout.WriteString(text); err != nil {
		os.Exit(0)
	}
}

// always makes a spoiler of something that is done to every answer from the spoilt one on.
func always(do func(line []byte)) func(*stage, []byte) bool {
	return func(_ *stage, line []byte) bool {
		do(line)
		return true
	}
}

// once makes a spoiler of something that is done to one answer.
func once(do func(line []byte)) func(*stage, []byte) bool {
	return func(s *stage, line []byte) bool {
		if s.n > s.next {
			return false
		}
		do(line)
		return true
	}
}

// edit makes a spoiler that changes the first answer that it can be applied to; change returns an absent value where
// it cannot.
func edit(change func(answer spec.Value) spec.Value) func(*stage, []byte) bool {
	edited := false
	return func(_ *stage, line []byte) bool {
		if edited {
			return false
		}
		answer, err := spec.ParseValue(line)
		if err != nil {
			panic(fmt.Sprintf("an honest server printed %q: %v", line, err))
		}
		changed := change(answer)
		edited = !changed.IsAbsent()
		if edited {
			emit(changed.String() + "\n")
		}
		return edited
	}
}

// member makes a change of one member of the answer.
func member(name, value string) func(spec.Value) spec.Value {
	return func(answer spec.Value) spec.Value { return answer.With(name, spec.MustParse(value)) }
}

// inResult makes a change of one member of the result, where the result has it.
func inResult(name string, change func(spec.Value) spec.Value) func(spec.Value) spec.Value {
	return func(answer spec.Value) spec.Value {
		result := answer.Get("result")
		if result.Get(name).IsAbsent() {
			return spec.Value{}
		}
		return answer.With("result", result.With(name, change(result.Get(name))))
	}
}

// sleep is long, but not for ever.
func sleep() { time.Sleep(lifetime) }
