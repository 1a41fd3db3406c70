package porttest

import (
	"context"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// How many generated traces are frozen: for the agreement with the reference, and for each law.
const (
	frozenAgreement = 40
	frozenOfLaw     = 3
)

// Freeze returns the tests that the port can be asked, without those of the protocol. In place of each law, and of the
// agreement on generated traces, stand cases made from a fixed seed: a test runner that has neither the laws nor the
// reference can carry them out. A law that no case can stand for is returned as it is. The plan is the one that
// [Plan.Choose] has completed.
func (p *Plan) Freeze(ctx context.Context, port spec.Description) ([]Test, error) {
	var tests []Test
	for _, t := range p.Tests(port) {
		switch {
		case t.IsOfProtocol():
		case t.IsLaw():
			frozen, err := p.freezeLaw(ctx, t, port)
			if err != nil {
				return nil, err
			}
			tests = append(tests, frozen...)
		default:
			tests = append(tests, t)
		}
	}
	return tests, nil
}

// freezeLaw returns the tests that stand for a law.
func (p *Plan) freezeLaw(ctx context.Context, law Test, port spec.Description) ([]Test, error) {
	n := frozenOfLaw
	switch law.ID {
	case laws.CaseID(law.Detector, laws.AgreementID):
		n = frozenAgreement
	case laws.CaseID(law.Detector, "batch-split"), laws.CaseID(law.Detector, "evidence"):
		return []Test{law}, nil // without requests and evidence, nothing of these is left
	}
	offer, _ := port.Offer(law.Detector)
	oracle := conformance.Oracle(reference.Port(p.profiles.Offers()...))
	fuzzer := fuzz.NewFuzzer(oracle, oracle, p.profiles.Draw, offer, law.Reading)
	fuzzer.Restrict(p.profiles.Asks)
	made, err := fuzzer.Freeze(ctx, law.Case, n)
	if err != nil || len(made) == 0 {
		return []Test{law}, err
	}
	return lists.Map(made, func(c cases.Case) Test { return Test{c, law.Reading} }), nil
}
