package fuzz

import (
	"context"
	"slices"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// LawsOf returns what is checked on generated traces of a port without a reference: of each detector that it offers, be
// it one that the specification does not have, the laws that are about it.
func LawsOf(port spec.Description) []cases.Case {
	var all []cases.Case
	for _, offer := range port.Detectors {
		all = append(all, laws.CasesOf(offer.Definition())...)
	}
	return all
}

// AgainstCases returns the suite's cases of the port's detectors that have a trace or a call, and for each detector the
// comparison on generated traces.
func AgainstCases(suite []cases.Case, port spec.Description) []cases.Case {
	var all []cases.Case
	for _, c := range suite {
		_, asks := subjectOf(c, "")
		if _, offered := port.Offer(c.Detector); asks && offered {
			all = append(all, c)
		}
	}
	for _, offer := range port.Detectors {
		c := laws.AgreementOf(offer.Definition())
		c.Title = "On generated traces and configurations the port says what the other one says"
		all = append(all, c)
	}
	return all
}

// Against compares a port with an older one, on the traces and calls of cases and on generated ones, and says which of
// both is right by the budget's reference. What either of them does not declare is not compared. The results are those
// of [AgainstCases]. A port that is lost is started anew, and the case is repeated before it says anything; an error
// means that one of them could not even describe itself.
func Against(
	ctx context.Context, port, other spec.Port, source Source, selected []cases.Case, budget Budget,
) ([]conformance.Result, error) {
	both, one, another, err := Pair{port, other}.declared(ctx)
	if err != nil {
		return nil, err
	}
	p := pairing{comparison: comparison{both, budget.Reference}, one: one, another: another, source: source}
	p.budget, p.pairs, p.thrifty = budget, []Pair{both}, true
	p.budget.Reference = nil // a difference accuses nobody
	var results []conformance.Result
	for _, c := range selected {
		for _, reading := range c.Readings {
			results = append(results, p.compare(ctx, c, reading))
		}
	}
	budget.fell(p.falls())
	return results, nil
}

// pairing is two ports, and how they are compared.
type pairing struct {
	comparison
	engine
	one, another spec.Description
	source       Source
	unlike       []conformance.Result // so far, of all on which the ports did not agree
	noStart      string               // why a port could not be started again
}

// compare returns the result of one case, or of generated traces where it has no body.
func (p *pairing) compare(ctx context.Context, c cases.Case, reading spec.Reading) conformance.Result {
	result := conformance.NewResult(c, reading, p.one)
	if other := conformance.NewResult(c, reading, p.another); result.Status == "" && other.Status != "" {
		result = other
		result.Reason = "of the old port: " + other.Reason
	}
	result.Why = whyChanged[conformance.Unspecified]
	result.Tags = append(slices.Clone(result.Tags), conformance.DifferenceTag)
	if why := p.whyNot(ctx, c, reading); result.Status == "" && why != "" {
		result.Status, result.Reason = conformance.Undecided, why
	}
	if result.Status != "" {
		return result
	}
	start := time.Now()
	of, err := p.of(c, reading)
	if err == nil {
		err = p.play(ctx, of, c, &result)
	}
	result.Elapsed = time.Since(start).Nanoseconds()
	if result.Status != conformance.Broken { // a difference breaks no clause
		result.Clauses = c.Clauses
	}
	switch {
	case err != nil && ctx.Err() == nil:
		p.settle(err, &result)
	case result.Status == "" || err != nil:
		result.Status, result.Reason, result.Failure = conformance.Undecided, "not run: "+stdio.WhyEnded(ctx), nil
	}
	if result.Status != conformance.Passed || result.Failure != nil { // a repair passes
		p.unlike = append(p.unlike, result)
	}
	if p.budget.Done != nil {
		p.budget.Done(result)
	}
	return result
}

// of returns what the comparisons of a detector in a reading have in common. The first check compares both ports, and
// the others look for the worst changes.
func (p *pairing) of(c cases.Case, reading spec.Reading) (*target, error) {
	offer, _ := p.one.Offer(c.Detector)
	theirs, _ := p.another.Offer(c.Detector)
	return p.target(p.source, offer.And(theirs), reading, func(h *Fuzzer) error {
		differ := h.Checks[0] // agreement is the first
		isBroken := func(c conformance.Change) bool { return c == conformance.Regressed }
		isNoRepair := func(c conformance.Change) bool { return c != conformance.Fixed }
		h.Checks = []Check{differ, p.only(h, differ, isBroken), p.only(h, differ, isNoRepair)}
		return nil
	})
}

func (p *pairing) play(ctx context.Context, of *target, c cases.Case, result *conformance.Result) error {
	h := of.fuzzers[0]
	subject, ok := subjectOf(c, h.Reading)
	if !ok {
		return p.generate(ctx, of, c, result)
	}
	finding, err := p.ask(ctx, h, subject)
	if err != nil {
		return err
	}
	result.Status = conformance.Passed
	if finding == nil {
		return nil
	}
	found := Counterexample{subject, *finding}
	if finding.Gone != nil && finding.Status() != conformance.Failed {
		finding.accuse(result)
		return nil
	}
	result.Status, result.Reason, result.Failure = conformance.Failed, "", failureOf(found)
	if finding.Gone != nil {
		result.Reason = finding.whose() + "the adapter " + finding.Gone.What()
	}
	if finding.Step >= 0 {
		result.Failure.Step, result.Failure.Steps = stepOf(c, finding.Step), len(c.Steps)
	}
	return p.explain(ctx, h, found, result)
}

// stepOf returns the step of a case, counted from 1, that a step of its trace is part of: one may have many events.
func stepOf(c cases.Case, at int) int {
	head := c
	for n := range c.Steps {
		head.Steps = c.Steps[:n+1]
		if len(laws.StepsOf(head)) > at {
			return n + 1
		}
	}
	return len(c.Steps)
}

// generate compares the ports on generated traces. Where they differ, a trace that the new port gets wrong and the old
// one right comes before any other, and a repair last: it must hide nothing.
func (p *pairing) generate(ctx context.Context, of *target, c cases.Case, result *conformance.Result) error {
	h, open := of.fuzzers[0], *result
	var found, fell *Counterexample
	for place := range h.Checks {
		h.known = passesOverDeaths(&fell)
		t := newTrial(c, of, place)
		t.result, t.rounds = open, of.rounds(p.budget, place)
		err := p.try(ctx, ctx, t, 0)
		if err == nil && place == 0 && t.result.Status == conformance.Passed && fell != nil {
			err = t.fail(ctx, 0, *fell, 0)
		}
		if place == 0 || t.found != nil {
			*result, found = t.result, t.found
		}
		if err != nil || result.Status != conformance.Failed {
			return err
		}
		if place > 0 && t.found != nil || !p.isSpecified(ctx, h) {
			break
		}
	}
	return p.explain(ctx, h, *found, result)
}

// passesOverDeaths returns that a few traces are passed over that the old port dies of, of which it keeps the first:
// they, too, must hide nothing.
func passesOverDeaths(first **Counterexample) func(*Counterexample) bool {
	passed := 0
	return func(c *Counterexample) bool {
		if !c.Finding.Old || c.Finding.Gone == nil || c.Finding.Status() != conformance.Failed {
			return false
		}
		if *first == nil {
			*first = c
		}
		passed++
		return passed <= mostEnds
	}
}

// subjectOf returns what a case asks in a reading, without what it expects; false where that is no trace and no call.
func subjectOf(c cases.Case, reading spec.Reading) (Subject, bool) {
	var s Subject
	s.Detector, s.Reading, s.Config, s.Steps = c.Detector, reading, c.Config, laws.StepsOf(c)
	if c.Call != nil {
		s.Function, s.Args = c.Call.Function, c.Call.Args
	}
	return s, s.IsCall() || len(s.Steps) > 0 || c.Refuse != nil
}
