package fuzz

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// shrinkTime bounds each of the two passes that shrink a counterexample.
const shrinkTime = 10 * time.Second

// Restarter is a Port that can be started anew after its process ended, hung or broke the protocol.
type Restarter interface {
	Restart(ctx context.Context) error
}

// Hunt looks for faults of one detector in one reading.
type Hunt struct {
	Port     spec.Port
	Detector spec.DetectorID
	Reading  spec.Reading
	Checks   []Check
	Draw     func(*rapid.T) Subject

	// Together is how many subjects are under way at once; 0 stands for 1. A port in another process is asked far
	// more often where requests need not wait for the answers to those before them.
	Together int

	metered *meter // the port, as the checks see it
}

// Counterexample is a subject that a port fails a check on, in its canonical form.
type Counterexample struct {
	Subject Subject
	Finding Finding
}

// Key tells different counterexamples apart: two that are equal show the same fault.
func (c Counterexample) Key() string { return c.Finding.Check + " " + c.Subject.Value().String() }

// Look runs each check on so many generated subjects. It returns a counterexample for each check that fails. The same
// seed gives the same subjects. The error is one of asking: then nothing is known.
func (h *Hunt) Look(ctx context.Context, checks int, seed uint64) ([]Counterexample, error) {
	var found []Counterexample
	for _, check := range h.Checks {
		c, err := h.look(ctx, check, checks, seed)
		if err != nil {
			return found, err
		}
		if c != nil {
			found = append(found, *c)
		}
	}
	return found, nil
}

// look runs one check on generated subjects.
func (h *Hunt) look(ctx context.Context, check Check, checks int, seed uint64) (*Counterexample, error) {
	return h.lookAt(ctx, check, h.drawn(check, checks, seed))
}

// lookAt runs one check on the subjects of a lineup, all of them: that the context ended before is an error.
func (h *Hunt) lookAt(ctx context.Context, check Check, l lineup) (*Counterexample, error) {
	suspect, err := h.survey(ctx, check, l)
	switch {
	case err != nil:
		return nil, err
	case suspect.exists():
		return h.convict(ctx, check, l, suspect)
	case ctx.Err() != nil:
		return nil, fmt.Errorf("check %s of %s: %w", check.ID, h.Detector, ctx.Err())
	default:
		return nil, nil
	}
}

// canonical shrinks a counterexample to the form that is the same for every seed.
func (h *Hunt) canonical(ctx context.Context, check Check, s Subject) (*Counterexample, error) {
	first, err := h.finding(ctx, check, s)
	if err != nil {
		return nil, err
	}
	if first == nil {
		return notDeterministic(s), nil
	}
	smallest := shrink(s, shrinkTime, func(candidate Subject) bool {
		f, err := h.finding(ctx, check, candidate)
		return err == nil && f != nil && f.Check == first.Check
	})
	last, err := h.finding(ctx, check, smallest)
	if err != nil {
		return nil, err
	}
	if last == nil {
		return notDeterministic(smallest), nil
	}
	return &Counterexample{smallest, *last}, nil
}

// notDeterministic is what a subject shows that failed once and passes now.
func notDeterministic(s Subject) *Counterexample {
	return &Counterexample{s, Finding{
		Check: "determinism", Problem: "the port is not deterministic: what failed once passes now", Step: -1,
	}}
}

// finding plays a subject and returns what the port does wrong, nil where it does nothing wrong. It leaves the port fit
// for the next subject.
func (h *Hunt) finding(ctx context.Context, check Check, s Subject) (*Finding, error) {
	if !check.About(s) {
		return nil, nil
	}
	err := h.run(ctx, check, s)
	if err == nil {
		return nil, nil
	}
	if err := h.revive(ctx); err != nil {
		return nil, err
	}
	var finding *Finding
	if errors.As(err, &finding) {
		return finding, nil
	}
	return nil, err
}

// run plays one subject. A check that panics is a fault of the suite, and ends the hunt.
func (h *Hunt) run(ctx context.Context, check Check, s Subject) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &conformance.SuiteError{Problem: fmt.Sprintf("the check %s panicked on %s: %v", check.ID, s.Value(), p)}
		}
	}()
	return check.Run(ctx, h.metered, s)
}

// revive starts a port anew whose process is gone, so that a crash shrinks like any other fault.
func (h *Hunt) revive(ctx context.Context) error {
	restarter, ok := h.Port.(Restarter)
	if !ok || !isGone(ctx, h.Port) {
		return nil
	}
	if err := restarter.Restart(ctx); err != nil {
		return fmt.Errorf("start the port again: %w", err)
	}
	return nil
}

// isGone reports whether the port's process can no longer be asked.
func isGone(ctx context.Context, port spec.Port) bool {
	_, err := port.Call(ctx, "loopstone.ping", "", spec.ObjectValue())
	var gone *stdio.ProcessError
	return errors.As(err, &gone)
}
