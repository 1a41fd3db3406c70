package fuzz

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

// Agreement returns the check that a port says what the oracle says, verdict by verdict and value by value, refusals
// included. The offer is what both have: what it does not have is not compared, nor is a verdict where a rule speaks
// that it does not have, for that one may hide another (PR-39).
func Agreement(oracle spec.Port, offer spec.Offer) Check {
	a := agreement{oracle: oracle, offer: offer}
	return Check{ID: AgreementID, About: func(s Subject) bool { return canBeSet(offer, s.Config) }, Run: a.run}
}

type agreement struct {
	oracle spec.Port
	offer  spec.Offer
}

// run asks both ports about a subject, and a port that differs once more.
func (a agreement) run(ctx context.Context, port spec.Port, s Subject) error {
	want, err := answerOf(ctx, a.oracle, s)
	if err != nil {
		return asOldFinding(err)
	}
	got, err := answerOf(ctx, port, s)
	if err != nil {
		return asFinding(AgreementID, err)
	}
	found, err := a.compare(ctx, port, s, want, got)
	if err != nil || len(found) == 0 {
		return err
	}
	first := &found[0]
	for _, later := range found[1:] {
		first.Later += fmt.Sprintf("%d: %s, not %s\n", later.Step, later.Got, later.Want)
	}
	if first.Step < 0 {
		return first
	}
	return a.settle(ctx, port, s, got.values, first)
}

// answer is what a port says of a subject: its verdicts, or the value of a call, or why it refuses.
type answer struct {
	values []spec.Value
	fault  *spec.Fault
}

// answerOf asks a port. Its error says that the port could not be asked.
func answerOf(ctx context.Context, port spec.Port, s Subject) (answer, error) {
	var a answer
	var err error
	switch {
	case s.IsCall():
		a.values = make([]spec.Value, 1)
		a.values[0], err = port.Call(ctx, s.Function, s.Reading, s.Args)
	case s.onlyOpens():
		var session spec.Session
		if session, err = port.Open(ctx, s.Detector, s.Reading, s.Config); err == nil {
			err = session.Close(ctx)
		}
	default:
		a.values, err = laws.Play(ctx, port, s.Trace)
	}
	if errors.As(err, &a.fault) {
		return answer{fault: a.fault}, nil
	}
	return a, err
}

// refusal returns with what the port refused, as far as ports must agree on it.
func (a answer) refusal() spec.Value {
	if a.fault == nil {
		return spec.StringValue("accepted")
	}
	return spec.StringValue((&spec.Fault{Kind: a.fault.Kind, Field: a.fault.Field, Feature: a.fault.Feature}).Error())
}

// compare returns in what the answer of a port differs from the one that is wanted: at which steps of a trace, or in a
// refusal or a value, which have the step -1.
func (a agreement) compare(ctx context.Context, port spec.Port, s Subject, want, got answer) ([]Finding, error) {
	if w, g := want.refusal(), got.refusal(); !w.Equal(g) {
		found := Finding{Check: AgreementID, Problem: "the refusal differs", Step: -1, Want: w, Got: g}
		var err error
		if got.fault != nil && !s.IsCall() {
			found.Unopened, err = refusesToOpen(ctx, port, s)
		}
		return []Finding{found}, err
	}
	switch {
	case want.fault != nil:
		return nil, nil
	case s.IsCall():
		err := a.value(ctx, port, s, want.values[0], got.values[0])
		if finding, found := errors.AsType[*Finding](err); found {
			return []Finding{*finding}, nil
		}
		return nil, err
	}
	description, err := a.oracle.Describe(ctx)
	if err != nil {
		return nil, fmt.Errorf("request the description of what the port is compared with: %w", err)
	}
	theirs, _ := description.Offer(s.Detector)
	return a.differences(theirs, s.Trace, want.values, got.values), nil
}

// refusesToOpen reports whether the port refuses the configuration of a subject. Its error says that the port could not
// be asked.
func refusesToOpen(ctx context.Context, port spec.Port, s Subject) (bool, error) {
	session, err := port.Open(ctx, s.Detector, s.Reading, s.Config)
	if err == nil {
		return false, asFinding(AgreementID, session.Close(ctx))
	}
	if _, refused := errors.AsType[*spec.Fault](err); refused {
		return true, nil
	}
	return false, asFinding(AgreementID, err)
}

// differences returns the steps of a trace at which a port says otherwise than the oracle, whose offer is theirs.
func (a agreement) differences(theirs spec.Offer, t laws.Trace, want, got []spec.Value) (found []Finding) {
	row, _ := spec.DefinitionOf(t.Detector)
	for i := range want {
		w, g, differ := a.differ(want[i], got[i])
		problem := "the verdict differs"
		if wrong := extra(row, i, want[i], got[i]); wrong != nil && !differ {
			found = append(found, *wrong)
			continue
		}
		if a.isMisplaced(t, i, want[i], got[i]) {
			w, g, problem = want[i], got[i], "the port says a loop where none of the rules holds that it declares"
		} else if !differ || !a.isCompared(theirs, want[i], got[i]) {
			continue
		}
		found = append(found, Finding{
			Check: AgreementID, Problem: problem, Step: i, Want: w, Got: g, Kind: kindOf(want[i], got[i]),
		})
	}
	return found
}

// kindOf returns the kind of the loop that the first of the verdicts with a loop reports; empty if none does.
func kindOf(verdicts ...spec.Value) spec.VerdictKind {
	for _, v := range verdicts {
		if v.Get("loop").IsTrue() {
			return spec.VerdictKind(v.Get("kind").Text())
		}
	}
	return ""
}

// extra returns the finding that the verdict of a step has members that its clauses do not name; nil if it has none.
// The oracle's have some where it is another port, of which nothing is held against this one.
func extra(row spec.Definition, step int, want, got spec.Value) *Finding {
	members := row.Misplaced(got)
	if len(members) == 0 || len(row.Misplaced(want)) > 0 {
		return nil
	}
	const problem = "the verdict has a member that no clause of the detector names for it"
	return &Finding{
		Check: AgreementID, Problem: problem, Step: step, Got: spec.ObjectValue(members...), Extra: true,
	}
}

// settle plays the trace once more: a port that now says something else is not deterministic, which is a finding of
// its own.
func (a agreement) settle(ctx context.Context, port spec.Port, s Subject, first []spec.Value, finding *Finding) error {
	second, err := laws.Play(ctx, port, s.Trace)
	if err != nil {
		return asFinding(AgreementID, err)
	}
	for i := range first {
		if !first[i].Equal(second[i]) {
			const problem = "the port is not deterministic: the same trace gives other verdicts"
			return &Finding{Check: "determinism", Problem: problem, Step: -1}
		}
	}
	return finding
}

// differ compares two verdicts by what every port must say: all members of the oracle's but the evidence, which laws
// verify, and texts to inject, which are compared where the port declares them and the specification fixes them.
func (a agreement) differ(want, got spec.Value) (w, g spec.Value, differ bool) {
	if want.IsAbsent() {
		return w, g, false
	}
	w, g = spec.ObjectValue(), spec.ObjectValue()
	for _, m := range want.Members() {
		if !a.compares(m.Name, want) {
			continue
		}
		other := got.Get(m.Name)
		if !spec.Agrees(m.Name, m.Value, other) && (m.Name != "message" || !a.sameWords(m.Value, other)) {
			w, differ = w.With(m.Name, m.Value), true
			if !other.IsAbsent() {
				g = g.With(m.Name, other)
			}
		}
	}
	return w, g, differ
}

// isCompared reports whether two verdicts can be held against one another (PR-39): where a rule speaks that the other
// port does not have, it may hide one that both have.
func (a agreement) isCompared(theirs spec.Offer, want, got spec.Value) bool {
	return !speaksOtherwise(a.offer, want) && !speaksOtherwise(theirs, got)
}

// isMisplaced reports whether the port says a loop where the oracle says a rule that the port does not have, and none
// of the port's own rules can be hidden by that one: all of them are asked before it, or are not about such events.
func (a agreement) isMisplaced(t laws.Trace, i int, want, got spec.Value) bool {
	said, named := got.Get("kind").Str()
	kind := spec.VerdictKind(said)
	if !got.Get("loop").IsTrue() || !speaksOtherwise(a.offer, want) || named && !a.offer.HasRule(kind) {
		return false
	}
	definition, _ := spec.DefinitionOf(t.Detector)
	typ := spec.TypeOf(t.Steps[i].Event)
	spoke := spec.VerdictKind(want.Get("kind").Text())
	asked := slices.Index(definition.Kinds(), spoke)
	return !slices.ContainsFunc(definition.Rules[asked+1:], func(r spec.Rule) bool {
		return a.offer.HasRule(r.Kind) && (!named || r.Kind == kind) && r.MaySpeak(typ, t.Config)
	})
}

// speaksOtherwise reports whether a rule speaks that the offer does not have, or may not have.
func speaksOtherwise(offer spec.Offer, verdict spec.Value) bool {
	return verdict.Get("loop").IsTrue() && !offer.HasRule(spec.VerdictKind(verdict.Get("kind").Text()))
}

func (a agreement) compares(name string, want spec.Value) bool {
	rule, _ := spec.RuleOf(spec.VerdictKind(want.Get("kind").Text()))
	switch {
	case name == "evidence" || !a.offer.HasMember(name):
		return false
	case name == "message":
		return slices.Contains(a.offer.Features, spec.Messages) && !rule.FreeText
	default:
		return true
	}
}

// sameWords allows for another layout of a text, where the port does not declare it.
func (a agreement) sameWords(want, got spec.Value) bool {
	return !slices.Contains(a.offer.Features, spec.Layout) && want.SameWords(got)
}

// value compares the values of a function call.
func (a agreement) value(ctx context.Context, port spec.Port, s Subject, want, got spec.Value) error {
	if s.Function == "fingerprint.compute" {
		return a.fingerprint(ctx, port, s, want, got)
	}
	if !want.Near(got) && (s.Function != "fingerprint.nudge" || !a.sameWords(want, got)) {
		return &Finding{Check: AgreementID, Problem: "the value differs", Step: -1, Want: want, Got: got}
	}
	return nil
}

// fingerprint compares an opaque value by what it tells apart: from the fingerprint of the same call without each of
// its arguments.
func (a agreement) fingerprint(ctx context.Context, port spec.Port, s Subject, want, got spec.Value) error {
	args := s.Args.Get("args")
	for _, m := range args.Members() {
		other := s.Args.With("args", args.Without(m.Name))
		otherWant, err := a.oracle.Call(ctx, s.Function, s.Reading, other)
		if err != nil {
			return asOldFinding(err)
		}
		otherGot, err := port.Call(ctx, s.Function, s.Reading, other)
		if err != nil {
			return asFinding(AgreementID, err)
		}
		if want.Equal(otherWant) != got.Equal(otherGot) {
			problem := fmt.Sprintf("with and without %q: want the same fingerprint: %t, got %t",
				m.Name, want.Equal(otherWant), got.Equal(otherGot))
			return &Finding{Check: AgreementID, Problem: problem, Step: -1}
		}
	}
	return nil
}
