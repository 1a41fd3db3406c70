package fuzz

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// whyChanged says what each change means to users.
var whyChanged = map[conformance.Change]string{
	conformance.Regressed:   "The old port was right, and the new one is wrong: this is a regression.",
	conformance.BothWrong:   "Both ports differ from the specification, each in its own way.",
	conformance.Unspecified: "The specification does not decide. What changed without being meant to is a regression.",
	conformance.Fixed:       "The old port was wrong, and the new one is right: this is a repair.",
}

// at returns what the answer says at a step, or of the whole subject where the step is below 0.
func (a answer) at(s Subject, step int) string {
	switch {
	case a.fault != nil:
		return "refused: " + a.refusal().Text()
	case step < 0 && !s.IsCall():
		return "accepted"
	default:
		return show(a.values[max(step, 0)])
	}
}

// wrongMember is where a port is wrong: at a member of a verdict.
type wrongMember struct {
	step   int
	member string
}

// everywhere is where a port is wrong if only one of it and the reference refuses, or if the value of a call differs.
var everywhere = wrongMember{step: -1}

// mistakes are the places at which a port says otherwise than the reference.
type mistakes map[wrongMember]bool

// beyond reports whether a port is wrong where the other one is right.
func (m mistakes) beyond(other mistakes) bool {
	if m[everywhere] || other[everywhere] {
		return !other[everywhere]
	}
	for place := range m {
		if !other[place] {
			return true
		}
	}
	return false
}

// mistakesOf compares what a port says of a subject with what the oracle says of it.
func (a agreement) mistakesOf(ctx context.Context, port spec.Port, s Subject, want answer) (mistakes, error) {
	got, err := answerOf(ctx, port, s)
	if err != nil {
		return nil, err
	}
	m := mistakes{}
	found, err := a.compare(ctx, port, s, want, got)
	for _, difference := range found {
		if difference.Step < 0 {
			m[everywhere] = true
		}
		for _, member := range difference.Want.Members() {
			m[wrongMember{difference.Step, member.Name}] = true
		}
	}
	return m, err
}

// comparison is an old port and a new one, and the reference, which says which of both is right; nil if nothing does.
type comparison struct {
	Pair
	reference spec.Port
}

// isSpecified reports whether the reference knows the detector in that reading.
func (p comparison) isSpecified(ctx context.Context, h *Fuzzer) bool {
	if p.reference == nil {
		return false
	}
	known, err := p.reference.Describe(ctx)
	offer, offered := known.Offer(h.Detector)
	return err == nil && offered && slices.Contains(offer.Readings, h.Reading)
}

// changeOf says which of both ports is right about a subject on which they differ. It compares what both declare.
func (p comparison) changeOf(ctx context.Context, h *Fuzzer, c Counterexample) (conformance.Change, error) {
	switch {
	case !c.Finding.isDifference() && !c.Finding.Old: // the new port died, or says now this, now that
		return conformance.Regressed, nil
	case !p.isSpecified(ctx, h):
		return conformance.Unspecified, nil
	}
	right := agreement{oracle: p.reference, offer: h.offer}
	want, err := answerOf(ctx, p.reference, c.Subject)
	if err != nil {
		return "", fmt.Errorf("run the reference: %w", err)
	}
	if want.fault != nil && want.fault.Kind == spec.Unsupported {
		return conformance.Unspecified, nil
	}
	newer, err := right.mistakesOf(ctx, p.Port, c.Subject, want)
	switch {
	case err != nil:
		return "", asFinding(AgreementID, err)
	case c.Finding.Old && len(newer) == 0:
		return conformance.Fixed, nil
	case c.Finding.Old:
		return conformance.BothWrong, nil
	}
	older, err := right.mistakesOf(ctx, p.Oracle, c.Subject, want)
	if err != nil {
		return "", asOldFinding(err)
	}
	return newer.changeFrom(older), nil
}

// changeFrom says what the mistakes of a new port mean beside those of the old one.
func (m mistakes) changeFrom(older mistakes) conformance.Change {
	switch {
	case m.beyond(older):
		return conformance.Regressed
	case older.beyond(m):
		return conformance.Fixed
	case len(m) == 0:
		return conformance.Unspecified
	default:
		return conformance.BothWrong
	}
}

// only returns a check that two ports differ, narrowed to the changes that are wanted.
func (p comparison) only(h *Fuzzer, differ Check, wanted func(conformance.Change) bool) Check {
	check := differ
	check.Run = func(ctx context.Context, port spec.Port, s Subject) error {
		err := differ.Run(ctx, port, s)
		finding, found := errors.AsType[*Finding](err)
		if !found || finding.Gone != nil { // the process has to be started again before anything is asked
			return err
		}
		change, err := p.changeOf(ctx, h, Counterexample{s, *finding})
		switch {
		case err != nil:
			return err
		case wanted(change):
			return finding
		default:
			return nil
		}
	}
	return check
}

// compare has the fuzzer compare the port with an older one. A difference accuses nobody. If the reference decides
// which of both is right, each change is looked for by itself: a repair must not hide a regression.
func (h *Fuzzer) compare(ctx context.Context, p comparison) {
	h.vs, h.Reference = &p, nil
	if !p.isSpecified(ctx, h) {
		return
	}
	differ, checks := h.Checks[0], h.Checks[1:]
	h.Checks = nil
	for _, change := range conformance.Changes() {
		h.Checks = append(h.Checks, p.only(h, differ, func(c conformance.Change) bool { return c == change }))
	}
	h.Checks = append(h.Checks, checks...)
}

// sides returns what each says where two ports differ, and all that the new one says of the subject.
func (p comparison) sides(
	ctx context.Context, h *Fuzzer, c Counterexample,
) (list []conformance.Side, newer answer, err error) {
	sides := []struct {
		who  string
		port spec.Port
	}{{"old", p.Oracle}, {"new", p.Port}, {"reference", p.reference}}
	if !p.isSpecified(ctx, h) {
		sides = sides[:2]
	}
	for _, side := range sides {
		if side.who == "old" && c.Finding.Old {
			says := strings.TrimPrefix(c.Finding.Problem, c.Finding.whose())
			list = append(list, conformance.Side{Who: side.who, Says: says})
			continue
		}
		said, err := answerOf(ctx, side.port, c.Subject)
		if err != nil {
			return nil, newer, err
		}
		if side.who == "new" {
			newer = said
		}
		says := wording.Shortened(said.at(c.Subject, c.Finding.Step), mostOfVerdict)
		list = append(list, conformance.Side{Who: side.who, Says: says})
	}
	return list, newer, nil
}

// isDifference reports whether both ports said something, and not the same.
func (f *Finding) isDifference() bool {
	return f.Gone == nil && f.Check == AgreementID && !f.Unanswered
}

// explain adds to the failure of a difference which port is right, and what each says. A repair is no failure.
func (p *pairing) explain(ctx context.Context, h *Fuzzer, c Counterexample, result *conformance.Result) (err error) {
	if result.Change, err = p.changeOf(ctx, h, c); err != nil {
		return err
	}
	result.Why = whyChanged[result.Change]
	if result.Change == conformance.Fixed {
		result.Status = conformance.Passed
	}
	if !c.Finding.isDifference() && !c.Finding.Old {
		return nil
	}
	sides, newer, err := p.sides(ctx, h, c)
	if err != nil {
		return err
	}
	result.Failure.Sides = sides
	for i := range max(c.Finding.Step, 0) {
		if verdict := newer.at(c.Subject, i); verdict != "" { // of both, as far as they are compared
			result.Failure.Trace[i] += " -> " + wording.Shortened(verdict, mostOfVerdict)
		}
	}
	return nil
}

// mostOfVerdict is how much is kept of a verdict, in characters.
const mostOfVerdict = 1000
