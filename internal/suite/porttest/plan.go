package porttest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/declared"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/internal/suite/rulecases"
	"github.com/loopstone/loopstone/spec"
)

// Plan is what a port is judged by.
type Plan struct {
	Settings      conformance.Settings
	All, Selected []cases.Case // laws among them, as cases without a body
	Command       []string     // that started the port, for the report
	Own           bool         // the port is the reference: what it fails is the suite's own fault
	Seed          int64        // of a random order; 0 for that of the suite
	FailFast      bool
	Begin         func(count func() int)      // called before the first test; count returns how many there are; may be nil
	LawsOnly      bool                        // of what is selected, only the laws are checked
	Done          func(...conformance.Result) // called with those of more tests, by one goroutine at a time; may be nil

	// NoTraces leaves out what is made for the profiles that the port declares: no test of it is run.
	NoTraces bool

	profiles rulecases.Declared
	left     []conformance.Part // of what the profiles declare, that no test is about
}

// Check returns what is wrong with what a port declares. Only the specification's own cases ask for its names.
func (p *Plan) Check(port spec.Description) error {
	check := declared.CheckNames
	if p.Settings.LawsAlone || p.Settings.Against != nil {
		check = declared.CheckOwnNames
	}
	if err := check(port); err != nil {
		return err
	}
	_, err := rulecases.Of(port.Detectors)
	return err
}

// Select selects the cases. Its error is that of a selection that matches nothing. Where only the port can say what
// there is, nothing is selected before [Plan.Choose]: for the laws alone, for a comparison with another port, and for
// patterns that name profiles.
func (p *Plan) Select() (err error) {
	isOfProfile := func(pattern string) bool { return strings.HasPrefix(pattern, "@") }
	s := p.Settings
	patterns := slices.Concat(s.Selection.Cases, s.Selection.Detectors)
	if s.LawsAlone || s.Against != nil || slices.ContainsFunc(patterns, isOfProfile) {
		return nil
	}
	return p.choose()
}

func (p *Plan) choose() (err error) {
	if p.Selected, err = p.Settings.Selection.Select(p.All); err != nil {
		return err
	}
	if p.Settings.Shard != "" {
		shard, err := cases.ParseShard(p.Settings.Shard)
		if err != nil {
			return err
		}
		if p.Selected, err = shard.Take(p.Selected); err != nil {
			return err
		}
	}
	if p.LawsOnly {
		p.Selected = lists.Filter(p.Selected, cases.Case.IsLaw)
	}
	return nil
}

// WithProfiles adds to the suite what a port is asked that declares profiles. It returns all of it, the profiles, and
// what they declare that no test is about.
func WithProfiles(
	ctx context.Context, suite []cases.Case, detectors []spec.Offer, s conformance.Settings,
) ([]cases.Case, rulecases.Declared, []conformance.Part, error) {
	profiles, err := rulecases.Of(detectors)
	if err != nil || profiles == nil {
		return slices.Clip(suite), nil, nil, err
	}
	asked, err := profiles.Questions(ctx, suite)
	if search, ok := errors.AsType[*rulecases.SearchError](err); ok {
		err = &unprepared{search.Detector, context.Cause(ctx), ctx.Err()}
	}
	if err != nil {
		return nil, nil, nil, err
	}
	all := slices.Clip(suite)
	var left []conformance.Part
	for i, q := range asked {
		all = append(all, q.Cases...)
		if !s.NoLaws {
			all = append(all, lawsOf(profiles[i].Offer)...)
		}
		left = append(left, q.Left...)
	}
	return all, profiles, left, nil
}

// unprepared is the error of a run that ended before its first test.
type unprepared struct {
	detector   spec.DetectorID
	cause, err error
}

// Error returns why and when the run ended.
func (u *unprepared) Error() string {
	return fmt.Sprintf("%v while the traces of %s were prepared; nothing was tested", u.cause, u.detector)
}

// Unwrap returns the context's error.
func (u *unprepared) Unwrap() error { return u.err }

// lawsOf returns the laws that a port of a profile is held to.
func lawsOf(offer spec.Offer) []cases.Case {
	return lists.Filter(fuzz.CasesOf(offer.Definition()), profile.Holds)
}

// withoutTraces adds to the suite the laws of the profiles that a port declares, which is all that is known of their
// tests before traces are made.
func (p *Plan) withoutTraces(port spec.Description) (err error) {
	p.profiles, err = rulecases.Of(port.Detectors)
	if err != nil || p.Settings.NoLaws || countProtocol(p.All) == len(p.All) {
		return err
	}
	p.All = slices.Clip(p.All)
	for _, one := range p.profiles {
		p.All = append(append(p.All, cases.OfProfile(p.All, one.Detector)...), lawsOf(one.Offer)...)
	}
	return nil
}

// Unlisted returns the profiles whose tests are made when they run: [Plan.NoTraces] left them out.
func (p *Plan) Unlisted() []string {
	if !p.NoTraces {
		return nil
	}
	return lists.Map(p.profiles, func(one rulecases.Declaration) string { return string(one.Detector) })
}

// Choose selects the cases of all that there is for the port.
func (p *Plan) Choose(ctx context.Context, port spec.Description) (err error) {
	if p.NoTraces {
		err = p.withoutTraces(port)
	} else {
		p.All, p.profiles, p.left, err = WithProfiles(ctx, p.All, port.Detectors, p.Settings)
	}
	if err != nil {
		return err
	}
	switch {
	case p.Settings.Against != nil:
		p.All = fuzz.AgainstCases(p.All, port)
	case p.Settings.LawsAlone:
		protocol := lists.Filter(p.All, cases.Case.IsOfProtocol)
		p.All = slices.Concat(protocol, lists.Filter(fuzz.LawsOf(port), profile.Holds))
	}
	return p.choose()
}

// Test is a case or law in one reading; of the protocol there is one, and the reading is empty.
type Test struct {
	cases.Case

	Reading spec.Reading
}

// Tests returns the tests that the port can be asked.
func (p *Plan) Tests(port spec.Description) []Test {
	var tests []Test
	for _, c := range p.Selected {
		if c.IsOfProtocol() {
			tests = append(tests, Test{c, ""})
		}
		for _, reading := range askedReadings(c, port) {
			tests = append(tests, Test{c, reading})
		}
	}
	return tests
}

// askedReadings returns the readings in which the port can be asked a case.
func askedReadings(c cases.Case, port spec.Description) []spec.Reading {
	return lists.Filter(c.Readings, func(reading spec.Reading) bool {
		return conformance.NewResult(c, reading, port).Status == ""
	})
}

// Options returns the settings of the run over the cases that do not stand for laws.
func (p *Plan) Options() conformance.Options {
	return conformance.Options{
		Jobs: p.Settings.Jobs, FailFast: p.FailFast, Command: p.Command, Suite: p.suite(), Seed: p.Seed,
	}
}

// suite says how much of the suite is selected.
func (p *Plan) suite() conformance.SuiteInfo {
	all, laws := cases.CountLaws(p.All), cases.CountLaws(p.Selected)
	info := conformance.SuiteInfo{
		Version: spec.Version, Digest: p.digest(),
		Selected: len(p.Selected) - laws, Total: len(p.All) - all, Laws: laws, UnselectedLaws: all - laws,
		UnselectedProtocol: countProtocol(p.All) - countProtocol(p.Selected),
	}
	if p.Settings.NoLaws && p.Settings.Folder == "" {
		info.UncheckedLaws = len(fuzz.Cases())
	}
	return info
}

// digest returns the digest of all cases. The digest of the built-in suite is known without its cases.
func (p *Plan) digest() string {
	s := p.Settings
	if s.Folder == "" && !s.LawsAlone && s.Against == nil && len(p.profiles) == 0 {
		n, digest, err := cases.Summary()
		if err == nil && n == len(p.All)-cases.CountLaws(p.All) { // the check of an adapter has the protocol's alone
			return digest
		}
	}
	return cases.Digest(p.All)
}

func countProtocol(suite []cases.Case) int { return lists.Count(suite, cases.Case.IsOfProtocol) }

func (p *Plan) done(results ...conformance.Result) {
	if p.Done != nil {
		p.Done(results...)
	}
}
