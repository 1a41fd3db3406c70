package fuzz

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// Check is one thing that is demanded of a port for every subject. Its error is a [*Finding] where the port does not
// do it, and any other error where the port could not be asked.
type Check struct {
	ID    string // AgreementID, or the id of a law
	About func(Subject) bool
	Run   func(ctx context.Context, port spec.Port, s Subject) error
}

// try plays one subject. A check that panics is a fault of the suite, and ends the run.
func (c Check) try(ctx context.Context, port spec.Port, s Subject) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &conformance.SuiteError{Problem: fmt.Sprintf("the check %s panicked on %s: %v", c.ID, s.Value(), p)}
		}
	}()
	return c.Run(ctx, port, s)
}

// Finding is what a port did wrong. Its text holds nothing that differs from one occurrence to the next: rapid shrinks
// only failures that repeat to the letter.
type Finding struct {
	Check   string
	Problem string

	Step      int        // of the trace, from 0; -1 where it is none
	Want, Got spec.Value // absent where there is nothing to compare
	Later     string     // what else is wrong in later steps, one line each; not part of the text

	Gone       *stdio.ProcessError // why the port's process can no longer be asked; nil where it can
	Unrepeated bool                // it was lost once, and no subject alone brings that about again
}

// Status says whose fault the finding is: that of the port unless its process was lost otherwise than by dying.
func (f *Finding) Status() conformance.Status {
	if f.Gone == nil {
		return conformance.Failed
	}
	return conformance.StatusOf(f.Gone)
}

// isSilence reports whether the port had no answer in time, which may be the machine's fault as often as it comes.
func (f *Finding) isSilence() bool { return f.Status() == conformance.Undecided }

// isNobodys reports whether the machine may be at fault: the port's process died once, or had no answer in time.
func (f *Finding) isNobodys() bool { return f.Unrepeated && f.Status() != conformance.Broken }

// Place returns which check found what, and at which step.
func (f *Finding) Place() string {
	text := f.Check + ": " + f.Problem
	if f.Step >= 0 {
		text += fmt.Sprintf(" at step %d", f.Step+1)
	}
	return text
}

// Error returns the finding in one line.
func (f *Finding) Error() string {
	text := f.Place()
	if !f.Want.IsAbsent() || !f.Got.IsAbsent() {
		text += fmt.Sprintf(": want %s, got %s", f.Want, f.Got)
	}
	return text
}

// asFinding turns an error of playing into a finding where the port is at fault: a breach of a law, a process that
// dies, hangs or breaks the protocol. Errors of another kind stay what they are.
func asFinding(check string, err error) error {
	var breach *laws.Breach
	var gone *stdio.ProcessError
	var code *stdio.CodeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &breach):
		return &Finding{Check: check, Problem: breach.Problem, Step: breach.Step, Want: breach.Want, Got: breach.Got}
	case errors.As(err, &gone) && gone.Reason != stdio.Cancelled && gone.Reason != stdio.Closed:
		return &Finding{Check: check, Problem: describeEnd(gone), Step: -1, Gone: gone}
	case errors.As(err, &code):
		return &Finding{Check: check, Problem: fmt.Sprintf("an error with the code %d", code.Code), Step: -1}
	default:
		return err
	}
}

// describeEnd says how an adapter went, in words that are the same every time.
func describeEnd(gone *stdio.ProcessError) string {
	if gone.Exit != nil {
		return fmt.Sprintf("the adapter %s: %s", gone.Reason, gone.Exit)
	}
	return fmt.Sprintf("the adapter %s: %s", gone.Reason, gone.Problem)
}

// LawChecks returns a check for each law that holds for what the port offers.
func LawChecks(offer spec.Offer) []Check {
	var checks []Check
	for _, law := range laws.Laws() {
		if !law.Askable(offer) {
			continue
		}
		checks = append(checks, Check{
			ID: law.ID,
			About: func(s Subject) bool {
				return !s.IsCall() && law.HoldsFor(s.Detector, s.Reading) && canBeSet(offer, s.Config)
			},
			Run: func(ctx context.Context, port spec.Port, s Subject) error {
				return asFinding(law.ID, refusalIsNoBreach(law.Check(ctx, port, s.Trace)))
			},
		})
	}
	return checks
}

// refusalIsNoBreach drops refusals: laws speak of traces that a port takes, and whether it takes the right ones is what
// agreement checks.
func refusalIsNoBreach(err error) error {
	var fault *spec.Fault
	if errors.As(err, &fault) {
		return nil
	}
	return err
}

// Agreement returns the check that a port says what the oracle says, verdict by verdict and value by value, refusals
// included. The offer is what both have: what it does not have is not compared, nor is a verdict where a rule speaks
// that it does not have, for that one may hide another (PR-39).
func Agreement(oracle spec.Port, offer spec.Offer) Check {
	a := agreement{oracle: oracle, offer: offer}
	return Check{
		ID:    AgreementID,
		About: func(s Subject) bool { return canBeSet(offer, s.Config) },
		Run: func(ctx context.Context, port spec.Port, s Subject) error {
			if s.IsCall() {
				return a.call(ctx, port, s)
			}
			return a.trace(ctx, port, s)
		},
	}
}

// canBeSet reports whether the offer has all settings and rules of a configuration that the specification has.
func canBeSet(offer spec.Offer, config spec.Value) bool {
	definition, _ := spec.DefinitionOf(offer.Detector)
	return !slices.ContainsFunc(definition.SettingNames(), func(name string) bool {
		return !config.Get(name).IsAbsent() && !offer.HasSetting(name)
	}) && !slices.ContainsFunc(definition.Asked(config), func(kind spec.VerdictKind) bool {
		return slices.Contains(definition.Kinds(), kind) && !offer.HasRule(kind)
	})
}

type agreement struct {
	oracle spec.Port
	offer  spec.Offer
}

func (a agreement) trace(ctx context.Context, port spec.Port, s Subject) error {
	other, err := a.oracle.Describe(ctx)
	if err != nil {
		return fmt.Errorf("ask the oracle what it is: %w", err)
	}
	theirs, _ := other.Offer(s.Detector)
	want, wantErr := laws.Play(ctx, a.oracle, s.Trace)
	got, gotErr := laws.Play(ctx, port, s.Trace)
	if err := a.refusals(wantErr, gotErr); err != nil || wantErr != nil {
		return err
	}
	found := a.differences(theirs, s.Trace, want, got)
	if len(found) == 0 {
		return nil
	}
	first := &found[0]
	for _, later := range found[1:] {
		first.Later += fmt.Sprintf("%d: %s, not %s\n", later.Step, later.Got, later.Want)
	}
	return a.settle(ctx, port, s, got, first)
}

// differences returns the steps of a trace at which a port says otherwise than the oracle, whose offer is theirs.
func (a agreement) differences(theirs spec.Offer, t laws.Trace, want, got []spec.Value) (found []Finding) {
	for i := range want {
		w, g, differ := a.differ(want[i], got[i])
		problem := "the verdict differs"
		if a.isMisplaced(t, i, want[i], got[i]) {
			w, g, problem = want[i], got[i], "the port says a loop where none of the rules holds that it declares"
		} else if !differ || !a.isCompared(theirs, want[i], got[i]) {
			continue
		}
		found = append(found, Finding{Check: AgreementID, Problem: problem, Step: i, Want: w, Got: g})
	}
	return found
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

// refusals compares whether, and with what, two ports refused: nil where they agree, else a [*Finding] or an error of
// asking.
func (a agreement) refusals(want, got error) error {
	var wantFault, gotFault *spec.Fault
	if want != nil && !errors.As(want, &wantFault) {
		return fmt.Errorf("ask the oracle: %w", want)
	}
	if got != nil && !errors.As(got, &gotFault) {
		return asFinding(AgreementID, got)
	}
	w, g := faultValue(wantFault), faultValue(gotFault)
	if w.Equal(g) {
		return nil
	}
	return &Finding{Check: AgreementID, Problem: "the refusal differs", Step: -1, Want: w, Got: g}
}

func faultValue(f *spec.Fault) spec.Value {
	if f == nil {
		return spec.StringValue("accepted")
	}
	return spec.StringValue((&spec.Fault{Kind: f.Kind, Field: f.Field, Feature: f.Feature}).Error())
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
		if !sameMember(m.Value, other) && (m.Name != "message" || !a.sameWords(m.Value, other)) {
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
	typ, _ := t.Steps[i].Event.Get("type").Str()
	spoke, _ := want.Get("kind").Str()
	asked := slices.IndexFunc(definition.Rules, func(r spec.Rule) bool { return string(r.Kind) == spoke })
	return !slices.ContainsFunc(definition.Rules[asked+1:], func(r spec.Rule) bool {
		return a.offer.HasRule(r.Kind) && (!named || r.Kind == kind) && r.MaySpeak(spec.EventType(typ), t.Config)
	})
}

// speaksOtherwise reports whether a rule speaks that the offer does not have, or may not have.
func speaksOtherwise(offer spec.Offer, verdict spec.Value) bool {
	kind, _ := verdict.Get("kind").Str()
	return verdict.Get("loop").IsTrue() && !offer.HasRule(spec.VerdictKind(kind))
}

func (a agreement) compares(name string, want spec.Value) bool {
	kind, _ := want.Get("kind").Str()
	rule, _ := spec.RuleOf(spec.VerdictKind(kind))
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

// sameMember allows for the last bits of doubles that were computed in another order.
func sameMember(want, got spec.Value) bool {
	if want.Equal(got) {
		return true
	}
	x, isNumber := want.Float()
	y, alsoNumber := got.Float()
	if !isNumber || !alsoNumber || want.IsIntegerLiteral() && got.IsIntegerLiteral() {
		return false
	}
	return x-y <= 1e-9 && y-x <= 1e-9
}

func (a agreement) call(ctx context.Context, port spec.Port, s Subject) error {
	want, wantErr := a.oracle.Call(ctx, s.Function, s.Reading, s.Args)
	got, gotErr := port.Call(ctx, s.Function, s.Reading, s.Args)
	if err := a.refusals(wantErr, gotErr); err != nil || wantErr != nil {
		return err
	}
	if s.Function == "fingerprint.compute" {
		return a.fingerprint(ctx, port, s, want, got)
	}
	if !sameMember(want, got) && (s.Function != "fingerprint.nudge" || !a.sameWords(want, got)) {
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
			return err
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
