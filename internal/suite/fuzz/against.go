package fuzz

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/declared"
	"github.com/loopstone/loopstone/conformance/laws"
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
		c := agreementCase(offer.Definition())
		c.Title = "On generated traces the port says what the other one says"
		all = append(all, c)
	}
	return all
}

// Against compares a port with an older one, on the traces and calls of cases and on generated ones, and says which of
// both is right by the rules of the budget. What either of them does not declare is not compared. The results are those
// of [AgainstCases].
func Against(
	ctx context.Context, port, other spec.Port, source Source, selected []cases.Case, budget Budget,
) ([]conformance.Result, error) {
	one, err := port.Describe(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask the port what it is: %w", err)
	}
	another, err := other.Describe(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask the other port what it is: %w", err)
	}
	p := pairing{
		comparison: comparison{port: declared.Port(port, one), other: declared.Port(other, another), rules: budget.Rules},
		one:        one, another: another, source: source, budget: budget, costs: map[part]*costs{},
	}
	p.budget.Rules = nil // what is no accusation needs no last word
	var results []conformance.Result
	for _, c := range selected {
		for _, reading := range c.Readings {
			result, err := p.compare(ctx, c, reading)
			if err != nil {
				return nil, err
			}
			results = append(results, result)
		}
	}
	return results, nil
}

// pairing is two ports, and how they are compared.
type pairing struct {
	comparison
	one, another spec.Description
	source       Source
	budget       Budget
	costs        map[part]*costs
}

// compare returns the result of one case, or of generated traces where it has no body.
func (p *pairing) compare(ctx context.Context, c cases.Case, reading spec.Reading) (conformance.Result, error) {
	result := conformance.NewResult(c, reading, p.one)
	if other := conformance.NewResult(c, reading, p.another); result.Status == "" && other.Status != "" {
		result = other
		result.Reason = "of the other port: " + other.Reason
	}
	result.Why = whyChanged[conformance.Unspecified]
	result.Tags = append(slices.Clone(result.Tags), conformance.DifferenceTag)
	if result.Status != "" {
		return result, nil
	}
	start := time.Now()
	h, err := p.fuzzer(c, reading)
	if err == nil {
		err = p.play(ctx, h, c, &result)
	}
	result.Clauses, result.Elapsed = c.Clauses, time.Since(start).Nanoseconds()
	if p.budget.Done != nil {
		p.budget.Done()
	}
	if err != nil && ctx.Err() == nil {
		return result, fmt.Errorf("%s: %w", c.ID, err)
	}
	if result.Status == "" {
		result.Status, result.Reason = conformance.Undecided, "not run: the run was ended"
	}
	return result, nil
}

func (p *pairing) fuzzer(c cases.Case, reading spec.Reading) (*Fuzzer, error) {
	offer, _ := p.one.Offer(c.Detector)
	theirs, _ := p.another.Offer(c.Detector)
	h, err := tryFuzzer(p.port, p.other, p.source, offer.And(theirs), reading)
	if err != nil {
		return nil, err
	}
	key := part{c.Detector, reading}
	if p.costs[key] == nil {
		p.costs[key] = &costs{}
	}
	h.restrict(p.budget.Asks)
	h.charge(p.costs[key])
	return h, nil
}

func (p *pairing) play(ctx context.Context, h *Fuzzer, c cases.Case, result *conformance.Result) error {
	subject, ok := subjectOf(c, h.Reading)
	if !ok {
		return p.generate(ctx, h, c, result)
	}
	finding, err := h.finding(ctx, h.Checks[0], subject) // agreement is the first
	if err != nil {
		return err
	}
	result.Status = conformance.Passed
	if finding == nil {
		return nil
	}
	found := Counterexample{subject, *finding}
	result.Status, result.Reason, result.Failure = conformance.Failed, "", failureOf(found)
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
func (p *pairing) generate(ctx context.Context, h *Fuzzer, c cases.Case, result *conformance.Result) error {
	t, err := p.try(ctx, h, c, *result)
	if err == nil && t.result.Status == conformance.Failed && p.isSpecified(ctx, h) {
		t, err = p.worst(ctx, h, t, *result)
	}
	*result = t.result
	if err != nil || t.result.Status != conformance.Failed {
		return err
	}
	return p.explain(ctx, h, *t.found, result)
}

// worst returns the trial of the worst change, of those that differ from the result of a trial.
func (p *pairing) worst(ctx context.Context, h *Fuzzer, t *trial, open conformance.Result) (*trial, error) {
	differ := h.Checks[0]
	for _, isWorse := range []func(conformance.Change) bool{
		func(c conformance.Change) bool { return c == conformance.Regressed },
		func(c conformance.Change) bool { return c != conformance.Mended },
	} {
		h.Checks[0] = p.only(h, differ, isWorse)
		worse, err := p.try(ctx, h, t.c, open)
		if err != nil || worse.found != nil {
			return worse, err
		}
	}
	return t, nil
}

// try plays generated traces to the first check of the fuzzer.
func (p *pairing) try(ctx context.Context, h *Fuzzer, c cases.Case, open conformance.Result) (*trial, error) {
	t := &trial{c: c, result: open}
	if err := t.begin(h, newTarget(h, p.budget)); err != nil {
		return t, err
	}
	return t, t.judge(ctx)
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
