package fuzz

import (
	"context"
	"fmt"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

// accuse asks the plain rules about a counterexample before the port answers for it. Its error is a
// [*conformance.SuiteError] where they say what the port says, or break the same law: then what the port was compared
// with is wrong, or the law is.
func (h *Fuzzer) accuse(ctx context.Context, check Check, c Counterexample) error {
	if h.Rules == nil || c.Finding.Gone != nil || c.Finding.Check != check.ID || h.isBeyondRules(ctx, c.Subject) {
		return nil
	}
	rules := conformance.Oracle(h.Rules)
	if check.ID != AgreementID {
		return blame("the law is wrong, or the rules are: they break it too", c, check.try(ctx, rules, c.Subject) != nil)
	}
	err := Agreement(rules, h.offer).try(ctx, h.asked, c.Subject)
	return blame("the fast detector is wrong: the rules say what the port says", c, err == nil)
}

// isBeyondRules reports whether the plain rules cannot be asked: they have no snapshots, for one.
func (h *Fuzzer) isBeyondRules(ctx context.Context, s Subject) bool {
	a, err := answerOf(ctx, h.Rules, s)
	return err == nil && a.fault != nil && a.fault.Kind == spec.Unsupported
}

// blame returns the fault of the suite, if it is one.
func blame(problem string, c Counterexample, isSuites bool) error {
	if !isSuites {
		return nil
	}
	return &conformance.SuiteError{Problem: fmt.Sprintf("%s on %s (%s)", problem, c.Subject.Value(), c.Finding.Error())}
}
