package fuzz

import (
	"context"
	"errors"
	"sync"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

// memory holds what a port said to traces, so that checks that compare with the verdicts of the same trace ask for them
// once. Several checks may ask at once: the first plays, and the others wait for it. The zero memory is empty.
type memory struct {
	mu   sync.Mutex // guards said, not what is in it
	said map[string]*saying
}

// saying is what a port said to one trace.
type saying struct {
	once     sync.Once
	verdicts []spec.Value
	err      error
}

var errUnplayed = errors.New("the trace was not played to its end")

// of returns what the port said to a trace, by calling play where it was not told yet, and whether it was not.
func (m *memory) of(t laws.Trace, play func() ([]spec.Value, error)) (said *saying, isNew bool) {
	key := Subject{Trace: t}.Value().String()
	m.mu.Lock()
	said, known := m.said[key]
	if !known {
		if m.said == nil {
			m.said = map[string]*saying{}
		}
		said = &saying{}
		m.said[key] = said
	}
	m.mu.Unlock()
	said.once.Do(func() {
		isNew, said.err = true, errUnplayed // others must not take a play that panicked for one without verdicts
		said.verdicts, said.err = play()
	})
	return said, isNew
}

// Recall implements [laws.Recaller], where the tap has a memory. What is remembered is told like what is played: a check
// rests on it just as well.
func (t *tap) Recall(ctx context.Context, trace laws.Trace) ([]spec.Value, error) {
	if t.memory == nil {
		return laws.Play(ctx, t, trace)
	}
	said, isNew := t.memory.of(trace, func() ([]spec.Value, error) { return laws.Play(ctx, t, trace) })
	if !isNew && len(trace.Steps) > 0 {
		t.told(request{action: opened, err: said.err})
		t.told(request{action: cases.Observe, verdicts: said.verdicts, err: said.err})
	}
	return said.verdicts, said.err
}
