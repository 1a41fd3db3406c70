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

// finding plays one subject, and returns what the port does wrong; nil where it does nothing wrong, or the check is not
// about the subject. The error is one of asking.
func (c Check) finding(ctx context.Context, port spec.Port, s Subject) (*Finding, error) {
	if !c.About(s) {
		return nil, nil
	}
	err := c.try(ctx, port, s)
	if finding, found := errors.AsType[*Finding](err); found {
		return finding, nil
	}
	return nil, err
}

// Finding is what a port did wrong. Its text holds nothing that differs from one occurrence to the next: rapid shrinks
// only failures that repeat to the letter.
type Finding struct {
	Check   string
	Problem string

	Step      int        // of the trace, from 0; -1 where it is none
	Want, Got spec.Value // absent where there is nothing to compare
	Later     string     // what else is wrong in later steps, one line each; not part of the text

	Kind  spec.VerdictKind // of the loop that is wanted or, where none is, that the port reports; empty where none is
	Extra bool             // no clause names the members that the verdict has

	Unopened bool // the port refused to open a session

	Gone       *stdio.ProcessError // why the port's process can no longer be asked; nil where it can
	Unrepeated bool                // it was lost once, and no subject alone brings that about again
	As         string              // the check that showed the same death of a process; empty where this one did

	Clause  string // that is broken; empty where it is those of the check
	Refused bool   // a request that every session accepts: see [laws.Breach]

	Old        bool // it is about the older port, which this one is compared with
	Unanswered bool // instead of an answer came an error that the protocol does not have
}

// lost says how the process was lost, and whose it was if two ports are compared.
func (f *Finding) lost() string { return f.whose() + conformance.LossOf(f.Gone) }

// whose begins what is said of the older of two ports.
func (f *Finding) whose() string {
	if f.Old {
		return "of the old port: "
	}
	return ""
}

// Status says whose fault the finding is: that of the port unless its process was lost otherwise than by dying.
func (f *Finding) Status() conformance.Status {
	if f.Gone == nil {
		return conformance.Failed
	}
	return conformance.StatusOf(f.Gone)
}

// byOthers returns the finding of a refusal that does not come again in a fresh process: it is due to other sessions.
func (f *Finding) byOthers() Finding {
	other := *f
	other.Clause, other.Problem, other.Refused = sharing, f.Problem+"; "+conformance.PassesAlone, false
	return other
}

// sharing is the clause that one session does not affect another.
const sharing = "PR-18"

// isLike reports whether another finding is one of the same kind, so that a smaller subject may stand for both.
func (f *Finding) isLike(other *Finding) bool {
	return f.Check == other.Check && (f.Gone == nil) == (other.Gone == nil) && f.Old == other.Old
}

// isSilence reports whether the port had no answer in time, which may be the machine's fault as often as it comes.
func (f *Finding) isSilence() bool { return f.Status() == conformance.Undecided }

// isBreach reports whether the adapter broke the protocol, even if only once.
func (f *Finding) isBreach() bool { return f.Gone != nil && conformance.IsBreach(f.Gone) }

// isNobodys reports whether the machine may be at fault: the port's process ended once, or had no answer in time.
func (f *Finding) isNobodys() bool { return f.Unrepeated && !f.isBreach() }

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
		return &Finding{
			Check: check, Problem: breach.Problem, Step: breach.Step, Want: breach.Want, Got: breach.Got,
			Clause: breach.Clause, Refused: breach.Refused,
		}
	case errors.As(err, &gone) && gone.Reason != stdio.Cancelled && gone.Reason != stdio.Closed:
		return &Finding{Check: check, Problem: describeEnd(gone), Step: -1, Gone: gone}
	case errors.As(err, &code):
		problem := fmt.Sprintf("an error with the code %d", code.Code)
		return &Finding{Check: check, Problem: problem, Step: -1, Unanswered: true}
	default:
		return err
	}
}

// asOldFinding is asFinding for an error of the older of two ports, which are compared.
func asOldFinding(err error) error {
	err = asFinding(AgreementID, err)
	if finding, ok := errors.AsType[*Finding](err); ok {
		finding.Old = true
		finding.Problem = finding.whose() + finding.Problem
	}
	return err
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
				return asFinding(law.ID, unlessRefused(law.Check(ctx, port, s.Trace)))
			},
		})
	}
	return checks
}

// unlessRefused drops that a port refuses a configuration, an event or a call: laws speak of traces that a port takes,
// and whether it takes the right ones is what agreement checks. What every session accepts, laws demand themselves.
func unlessRefused(err error) error {
	var fault *spec.Fault
	if errors.As(err, &fault) {
		return nil
	}
	return err
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
