package fuzz

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pgregory.net/rapid"

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

	metered meter // the port, as the checks see it
}

// Executions returns how many traces and function calls the port was told so far.
func (h *Hunt) Executions() int { return int(h.metered.executions.Load()) }

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

// look runs one check.
func (h *Hunt) look(ctx context.Context, check Check, checks int, seed uint64) (*Counterexample, error) {
	var trouble error // of asking; ends the run as a failure does
	property := func(s Subject) error {
		if trouble != nil || ctx.Err() != nil || !check.About(s) {
			return nil
		}
		err := h.run(ctx, check, s)
		var finding *Finding
		if err != nil && !errors.As(err, &finding) {
			trouble = err
			return nil
		}
		return err
	}
	subject, failed := checkOnce(checks, seed, h.Draw, property)
	if trouble != nil || !failed {
		return nil, trouble
	}
	return h.canonical(ctx, check, subject)
}

// canonical shrinks a counterexample to the form that is the same for every seed.
func (h *Hunt) canonical(ctx context.Context, check Check, s Subject) (*Counterexample, error) {
	first, err := h.finding(ctx, check, s)
	if err != nil {
		return nil, err
	}
	if first == nil {
		return &Counterexample{s, Finding{
			Check: "determinism", Problem: "the port is not deterministic: what failed once passes now", Step: -1,
		}}, nil
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
		last = &Finding{Check: "determinism", Problem: "the port is not deterministic: what failed once passes now", Step: -1}
	}
	return &Counterexample{smallest, *last}, nil
}

// finding plays a subject and returns what the port does wrong, nil where it does nothing wrong.
func (h *Hunt) finding(ctx context.Context, check Check, s Subject) (*Finding, error) {
	if !check.About(s) {
		return nil, nil
	}
	err := h.run(ctx, check, s)
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
			err = fmt.Errorf("the check %s panicked on %s: %v", check.ID, s.Value(), p)
		}
	}()
	return h.play(ctx, check, s)
}

// play plays one subject, and leaves the port fit for the next.
func (h *Hunt) play(ctx context.Context, check Check, s Subject) error {
	h.metered.Port = h.Port
	err := check.Run(ctx, &h.metered, s)
	if err == nil {
		return nil
	}
	if reviveErr := h.revive(ctx); reviveErr != nil {
		return reviveErr
	}
	return err
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
