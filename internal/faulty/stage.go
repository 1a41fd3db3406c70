//go:build unix

package faulty

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"github.com/loopstone/loopstone/spec"
)

// stage stands between an honest server and stdout. It passes answers on until the one that is to be spoilt.
type stage struct {
	spoil func(s *stage, line []byte) bool
	next  int    // the number of the answer to be spoilt, from 1; later ones where that does not suit
	n     int    // the number of the current answer
	rest  []byte // of an answer that has not come whole
	down  bool   // shutdown was asked for
}

// requests sees what the server reads before the server does.
type requests struct{ stage *stage }

// Write implements [io.Writer]. The server answers only after it has read, so that the stage knows in time.
func (r requests) Write(p []byte) (int, error) {
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
			s.print(line)
		}
	}
}

func (s *stage) print(line []byte) { emit(string(line) + "\n") }

// emit writes to stdout as it stands. Where nobody reads any more, an animal has no reason to go on.
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
