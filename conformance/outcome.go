package conformance

import (
	"cmp"
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// Outcome is what a run means for whoever gates on it. Its number is the exit code of the command.
type Outcome int

// The outcomes, which are stable.
const (
	Conformant    Outcome = 0 // every case that was run passed
	NotConformant Outcome = 1 // the port is wrong
	NotDecided    Outcome = 2 // nothing ran, no answer in time, or skips above the policy
	AdapterFault  Outcome = 3 // the adapter does not start, or breaks the protocol
	SuiteFault    Outcome = 4 // the suite is wrong, be it a file of cases or the code that judges
	Improved      Outcome = 5 // of two ports that are compared: the new one differs only where it fixes the old one
	Usage         Outcome = 64
)

var outcomes = map[Outcome]string{
	Conformant: "conformant", NotConformant: "not conformant", NotDecided: "undecided",
	AdapterFault: "adapter at fault", SuiteFault: "suite at fault", Improved: "improved",
}

// String returns the outcome in one or two words.
func (o Outcome) String() string { return cmp.Or(outcomes[o], "usage") }

// OutcomeOf returns whose fault an error is by which a run ended without a report.
func OutcomeOf(err error) Outcome {
	switch {
	case is[*SuiteError](err):
		return SuiteFault
	case isNobodysFault(err):
		return NotDecided
	default:
		return AdapterFault
	}
}

// Outcome says what the results mean. A suite that is wrong comes first, since nobody has to answer for what such a
// judge says; a broken adapter comes before a wrong port, since what a broken adapter says of the port cannot be
// trusted; a wrong port, or known failures that do not tell the truth, come before an open question. A run that
// checked nothing is undecided, and so is one of a whole suite that checked only the adapter's manners, or has no case
// for what the port declares, or a strict one that left something out. Known failures excuse a port, but are no passes.
func (r *Report) Outcome() Outcome {
	switch {
	case r.Count(Faulty) > 0:
		return SuiteFault
	case r.Count(Broken) > 0:
		return AdapterFault
	case r.Count(Failed) > 0 || len(r.Problems) > 0 || len(r.Lost()) > 0:
		return NotConformant
	case r.Count(Undecided) > 0 || r.Count(Passed)+r.Count(Known) == 0 || r.Unexplained > 0 || r.leavesOpen():
		return NotDecided
	case r.CountChanges()[Fixed] > 0:
		return Improved
	default:
		return Conformant
	}
}

// leavesOpen reports whether the run has not checked what it must.
func (r *Report) leavesOpen() bool {
	return r.OnlyManners() || len(r.Intolerable()) > 0 || r.HidesMembers() ||
		r.Strict && r.Suite.UncheckedLaws > 0 || r.PartAlone || r.LeavesParts()
}

// LeavesParts reports whether the whole suite was run, and has no case for something that the port declares. A strict
// run is as whole as its selection: it leaves what the rules of a selected detector say and no trace can test.
func (r *Report) LeavesParts() bool {
	isWhole := r.Suite.Selected == r.Suite.Total && r.Settings.Shard == ""
	return slices.ContainsFunc(r.Port.Unexercised, func(p Part) bool {
		return isWhole || r.Strict && p.Why != "" && r.asks(p.Detector)
	})
}

// asks reports whether a detector is among those that the run was about.
func (r *Report) asks(detector spec.DetectorID) bool {
	return slices.ContainsFunc(r.Results, func(result Result) bool { return result.Detector == detector })
}

// OnlyManners reports whether nothing passed but cases of the protocol, out of a suite that asks for more: how an
// adapter speaks says nothing of its detectors.
func (r *Report) OnlyManners() bool {
	passed, protocol := 0, 0
	for _, result := range r.Results {
		checked := result.Status == Passed || result.Status == Known
		switch {
		case result.Detector == cases.Protocol:
			protocol++
		case checked:
			return false
		}
		if checked {
			passed++
		}
	}
	return passed > 0 && protocol < r.Suite.Total
}

// Change says what a difference between an old port and a new one means, by the reference.
type Change string

// The changes, the worst first.
const (
	Regressed   Change = "broken"        // the old port was right, and the new one is wrong
	BothWrong   Change = "both wrong"    // each in its own way
	Unspecified Change = "not specified" // the reference allows both, or has no such detector
	Fixed       Change = "fixed"         // the old port was wrong, and the new one is right
)

// Changes lists the changes, the worst first.
func Changes() []Change { return []Change{Regressed, BothWrong, Unspecified, Fixed} }

// Differs returns how the result of a comparison differs; it is empty where the two ports agree, or were not asked.
func (r *Result) Differs() Change {
	switch {
	case r.Status == Failed && r.IsDifference():
		return cmp.Or(r.Change, Unspecified)
	case r.Status == Passed && r.Change == Fixed:
		return Fixed
	default:
		return ""
	}
}

// CountChanges returns how many results differ in which way; it is nil unless the report compares two ports.
func (r *Report) CountChanges() map[Change]int {
	if r.Settings.Against == nil {
		return nil
	}
	counts := map[Change]int{}
	for _, change := range Changes() {
		counts[change] = 0
	}
	for _, result := range r.Results {
		if change := result.Differs(); change != "" {
			counts[change]++
		}
	}
	return counts
}
