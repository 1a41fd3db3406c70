package fuzz

import (
	"context"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// The bounds of what is frozen. Of the traces, most should have a loop, be read in a failure, and be cheap to keep.
const (
	drawnForOne  = 50     // subjects, until one of them is frozen
	frozenSteps  = 60     // of a trace
	frozenBytes  = 20_000 // of a case, as JSON
	silentFrozen = 4      // one in so many may have no loop
)

// Freeze makes at most n cases of a check of [CasesOf] on generated traces, for test runners that have neither the
// generator nor the laws: what the check tells a port, with the verdicts of the oracle. It assumes that the fuzzer's
// port is this oracle. Equal fuzzers make equal cases. There are fewer cases if the generator draws too few traces that
// a case can hold: a case has one configuration, and no call of a function is among them.
func (h *Fuzzer) Freeze(ctx context.Context, of cases.Case, n int) ([]cases.Case, error) {
	place, err := h.placeOf(checkOf(of.Detector, of.ID))
	if err != nil {
		return nil, err
	}
	check := h.Checks[place]
	subjects := h.drawn(check, drawnForOne*n, 1)
	var made []cases.Case
	for i, silent := 0, 0; len(made) < n && i < subjects.n && ctx.Err() == nil; i++ {
		subject := subjects.at(i)
		if steps := len(subject.Steps); subject.IsCall() || steps == 0 || steps > frozenSteps || !check.About(subject) {
			continue
		}
		c, err := h.freeze(ctx, check, subject, of)
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

// freeze makes a case of what the check tells a port about a subject; one without steps if no case can hold it.
func (h *Fuzzer) freeze(ctx context.Context, check Check, subject Subject, of cases.Case) (cases.Case, error) {
	of.Readings, of.Source = []spec.Reading{h.Reading}, "silent"
	if check.ID == AgreementID {
		return write(ctx, h.Oracle, of, subject, requestsOf(subject))
	}
	requests, _, err := heard(ctx, h.Oracle, check, subject)
	isOther := func(q request) bool { return q.config.String() != subject.Config.String() }
	if err != nil || len(requests) == 0 || slices.ContainsFunc(requests, isOther) {
		return of, err
	}
	return write(ctx, h.Oracle, of, subject, requests)
}
