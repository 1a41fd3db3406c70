package judging

import (
	"context"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/declared"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/words"
)

// Plan is what a port is judged by.
type Plan struct {
	Settings      conformance.Settings
	All, Selected []cases.Case // laws among them, as cases without a body
	Command       []string     // that started the port, for the report
	Own           bool         // the port is the reference: what it fails is the suite's own fault
	Seed          int64        // of a random order; 0 for that of the suite
	FailFast      bool
	Done          func(n int) // called after n more tests, by one goroutine at a time; may be nil

	profiles profile.Declared
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
	_, err := profile.Of(port.Detectors)
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
	if p.Selected, err = p.Settings.Selection.Select(p.All); err != nil || p.Settings.Shard == "" {
		return err
	}
	shard, err := cases.ParseShard(p.Settings.Shard)
	if err == nil {
		p.Selected, err = shard.Take(p.Selected)
	}
	return err
}

// WithProfiles adds to the suite what a port is asked that declares profiles, and returns these.
func WithProfiles(
	ctx context.Context, suite []cases.Case, detectors []spec.Offer, s conformance.Settings,
) ([]cases.Case, profile.Declared, error) {
	profiles, err := profile.Of(detectors)
	if err != nil {
		return nil, nil, err
	}
	all := slices.Clip(suite)
	for _, offer := range profiles {
		own, err := profile.CasesOf(ctx, suite, offer)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, own...)
		if !s.NoLaws {
			all = append(all, words.Among(fuzz.CasesOf(offer.Definition()), profile.Holds)...)
		}
	}
	return all, profiles, nil
}

// Choose selects the cases of all that there is for the port.
func (p *Plan) Choose(ctx context.Context, port spec.Description) (err error) {
	if p.All, p.profiles, err = WithProfiles(ctx, p.All, port.Detectors, p.Settings); err != nil {
		return err
	}
	switch {
	case p.Settings.Against != nil:
		p.All = fuzz.AgainstCases(p.All, port)
	case p.Settings.LawsAlone:
		protocol, _ := words.Partition(p.All, cases.Case.IsOfProtocol)
		p.All = slices.Concat(protocol, words.Among(fuzz.LawsOf(port), profile.Holds))
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
	return words.Among(c.Readings, func(reading spec.Reading) bool {
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

func countProtocol(suite []cases.Case) int { return len(words.Among(suite, cases.Case.IsOfProtocol)) }

func (p *Plan) done(n int) {
	if p.Done != nil {
		p.Done(n)
	}
}
