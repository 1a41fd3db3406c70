package fuzz

import (
	"context"
	"fmt"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// Sample makes cases of the checks on generated traces, for test runners that have neither the generator nor the laws:
// what a check tells a port, with the verdicts of the oracle. The same sample makes the same cases.
type Sample struct {
	Oracle  spec.Port
	Offer   spec.Offer // what the tested detector has
	Reading spec.Reading
	Draw    func(*rapid.T) Subject
	Asks    Asks // nil for every subject
}

// The bounds of a sample. Of the traces, most should have a loop, be read in a failure, and be cheap to keep.
const (
	drawnForOne  = 50     // subjects, until one of them is frozen
	frozenSteps  = 60     // of a trace
	frozenBytes  = 20_000 // of a case, as JSON
	silentFrozen = 4      // one in so many may have no loop
)

// Cases returns at most n cases for a check of [CasesOf]. There are fewer if the generator draws too few traces that a
// case can hold: a case has one configuration, and no call of a function is among them.
func (s Sample) Cases(ctx context.Context, of cases.Case, n int) ([]cases.Case, error) {
	check, err := s.check(checkOf(of.Detector, of.ID))
	if err != nil {
		return nil, err
	}
	generator := rapid.Custom(s.Draw)
	seeds := seedsOf(check.ID, 1)
	var made []cases.Case
	for i, silent := 0, 0; len(made) < n && i < drawnForOne*n && ctx.Err() == nil; i++ {
		subject := drawOne(generator, seeds(i))
		if !s.canHold(subject) || !check.About(subject) {
			continue
		}
		c, err := s.freeze(ctx, check, subject, of)
		switch {
		case err != nil:
			return nil, fmt.Errorf("freeze %s: %w", of.ID, err)
		case len(c.Steps) == 0 || len(c.Demand().AppendJSON(nil)) > frozenBytes:
			continue
		case !expectsLoop(c):
			if silent++; silent > n/silentFrozen {
				continue
			}
		}
		c.ID = fmt.Sprintf("%s-%d", of.ID, len(made)+1)
		c.Title = fmt.Sprintf("%s (trace %d)", of.Title, len(made)+1)
		made = append(made, c)
	}
	return made, ctx.Err()
}

// canHold reports whether a case can hold the subject, and the detector is asked it.
func (s Sample) canHold(subject Subject) bool {
	n := len(subject.Steps)
	return !subject.IsCall() && n > 0 && n <= frozenSteps && (s.Asks == nil || s.Asks(subject))
}

// check returns the check of that id.
func (s Sample) check(id string) (Check, error) {
	for _, check := range append(LawChecks(s.Offer), Agreement(s.Oracle, s.Offer)) {
		if check.ID == id {
			return check, nil
		}
	}
	return Check{}, fmt.Errorf("there is no check %q of %s", id, s.Offer.Detector)
}

// freeze makes a case of what the check tells a port about a subject; one without steps if no case can hold it.
func (s Sample) freeze(ctx context.Context, check Check, subject Subject, of cases.Case) (cases.Case, error) {
	of.Readings, of.Source = []spec.Reading{s.Reading}, "silent"
	var requests []request
	if check.ID == AgreementID {
		requests = requestsOf(subject)
	} else {
		oneConfig := true
		told := &recorder{Port: s.Oracle, told: func(q request) {
			oneConfig = oneConfig && q.config.String() == subject.Config.String()
			if q.session > 0 && q.action != opened {
				requests = append(requests, q)
			}
		}}
		if err := check.try(ctx, told, subject); err != nil {
			return of, err
		}
		if !oneConfig || len(requests) == 0 {
			return of, nil
		}
	}
	return write(ctx, s.Oracle, of, subject, requests)
}
