package sourceclaims_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/suite/sourceclaims"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

func TestEveryClaimIsProved(t *testing.T) {
	t.Parallel()
	for _, problem := range newProof(t, ledger(t)).problems() {
		t.Error(problem)
	}
}

// A verdict that is turned round must be found out wherever the claim says what it demands of its case.
func TestAWrongVerdictOnAClaimIsFound(t *testing.T) {
	t.Parallel()
	all := ledger(t)
	var turned []string
	for i, c := range all {
		for j, f := range c.Findings {
			if f.Says != nil {
				all[i].Findings[j].Status = opposite[f.Status]
				turned = append(turned, where(c, f)+":")
			}
		}
	}
	found := strings.Join(newProof(t, all).problems(), "\n")
	for _, claim := range turned {
		if !strings.Contains(found, claim) {
			t.Errorf("%s the status was turned round, and nobody noticed", claim)
		}
	}
	if len(turned) < 100 {
		t.Errorf("%d findings can be turned round, want 100 or more", len(turned))
	}
}

var opposite = map[sourceclaims.Status]sourceclaims.Status{sourceclaims.Holds: sourceclaims.Refuted, sourceclaims.Refuted: sourceclaims.Holds}

func TestAClaimThatIsNotProvedIsFound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		why    string
		change func(*sourceclaims.Claim)
		want   string
	}{
		{
			"a case that is gone proves nothing", func(c *sourceclaims.Claim) { c.Findings[0].Cases[0] = "signature-gone" },
			"there is no case signature-gone",
		},
		{
			"nor does one of another detector", func(c *sourceclaims.Claim) { c.Findings[0].Cases[0] = "ralph-reset" },
			"ralph-reset is a case of ralph",
		},
		{
			"nor one of another reading", func(c *sourceclaims.Claim) { c.Findings[0].Cases[0] = "signature-interrupted-run-text" },
			"signature-interrupted-run-text does not hold for the reading code",
		},
		{
			"nor one about another rule", func(c *sourceclaims.Claim) { c.Clauses = []string{"SG-1"} },
			"has no clause in common",
		},
		{
			"the case of the other reading has the same trace", func(c *sourceclaims.Claim) { c.Findings[0].OtherReading = "signature-text-run" },
			"signature-text-run is another trace",
		},
		{
			"and another expectation", func(c *sourceclaims.Claim) { c.Findings[0].OtherReading = "signature-interrupted-run-code" },
			"signature-interrupted-run-code expects the same",
		},
		{
			"a demand needs a step to be made of", func(c *sourceclaims.Claim) { c.Findings[0].Says = &sourceclaims.Says{Step: 9} },
			"says: signature-interrupted-run-code has no step 9",
		},
		{"and a member that there is", func(c *sourceclaims.Claim) {
			c.Findings[0].Says = &sourceclaims.Says{Step: 1, Expect: spec.ObjectValue(spec.Member{Name: "lop", Value: spec.BoolValue(true)})}
		}, "a verdict has no member lop"},
		{
			"a trace is no function", func(c *sourceclaims.Claim) { c.Findings[0].Says = &sourceclaims.Says{Result: spec.IntValue(1)} },
			"says: signature-interrupted-run-code calls no function",
		},
	} {
		t.Run(tt.why, func(t *testing.T) {
			t.Parallel()
			c := claimAbout(t, "signature-interrupted-run-code")
			tt.change(&c)
			problems := newProof(t, []sourceclaims.Claim{c}).problems()
			if !strings.Contains(strings.Join(problems, "\n"), tt.want) {
				t.Errorf("want a problem with %q, got %q", tt.want, problems)
			}
		})
	}
}

// ledger returns the built-in claims; the caller may change what is in them.
func ledger(t *testing.T) []sourceclaims.Claim {
	t.Helper()
	shared, err := sourceclaims.All()
	if err != nil {
		t.Fatal(err)
	}
	all := slices.Clone(shared)
	for i, c := range all {
		all[i].Findings = slices.Clone(c.Findings)
		for j, f := range c.Findings {
			all[i].Findings[j].Cases = slices.Clone(f.Cases)
		}
	}
	return all
}

// claimAbout returns the first claim that the case decides.
func claimAbout(t *testing.T, id string) sourceclaims.Claim {
	t.Helper()
	for _, c := range ledger(t) {
		if f := c.Findings[0]; len(f.Cases) > 0 && f.Cases[0] == id {
			return c
		}
	}
	t.Fatalf("no claim is decided by %s", id)
	return sourceclaims.Claim{}
}

// proof holds what decides on a list of claims: the suite, and how the reference does on the cases that are cited and
// on what the claims demand of them.
type proof struct {
	claims []sourceclaims.Claim
	suite  map[string]cases.Case
	passed map[string]bool // by case and reading; of a demand by claim and reading
}

func newProof(t *testing.T, all []sourceclaims.Claim) *proof {
	t.Helper()
	p := &proof{claims: all, suite: map[string]cases.Case{}, passed: map[string]bool{}}
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range suite {
		p.suite[c.ID] = c
	}
	report, err := conformance.Run(context.Background(), reference.Port(), p.trials(), conformance.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Results {
		if r.Status == conformance.Broken || r.Status == conformance.Undecided {
			t.Errorf("%s in the reading %s is %s: %s", r.Case, r.Reading, r.Status, r.Reason)
		}
		p.passed[r.Case+", "+string(r.Reading)] = r.Status == conformance.Passed
	}
	return p
}

// where names a finding.
func where(c sourceclaims.Claim, f sourceclaims.Finding) string {
	return c.ID + ", " + string(f.Reading)
}

// trials returns the cases that are cited, and for each demand of a claim the case that demands it.
func (p *proof) trials() []cases.Case {
	var list []cases.Case
	seen := map[string]bool{}
	for _, c := range p.claims {
		for _, f := range c.Findings {
			for _, id := range f.Cases {
				if theCase, known := p.suite[id]; known && !seen[id] {
					seen[id] = true
					list = append(list, theCase)
				}
			}
			if demand, err := p.demand(c, f); err == nil && f.Says != nil {
				list = append(list, demand)
			}
		}
	}
	return list
}

// demand returns the first case of the finding as it would be if the claim were true.
func (p *proof) demand(c sourceclaims.Claim, f sourceclaims.Finding) (cases.Case, error) {
	if f.Says == nil {
		return cases.Case{}, nil
	}
	demand := p.suite[f.Cases[0]]
	demand.Readings = []spec.Reading{f.Reading}
	if f.Says.Step == 0 {
		if demand.Call == nil {
			return demand, fmt.Errorf("says: %s calls no function", demand.ID)
		}
		call := *demand.Call
		call.Result = &cases.Want{Equal: f.Says.Result}
		demand.ID, demand.Call = c.ID, &call
		return demand, nil
	}
	if f.Says.Step > len(demand.Steps) {
		return demand, fmt.Errorf("says: %s has no step %d", demand.ID, f.Says.Step)
	}
	step := demand.Steps[f.Says.Step-1]
	if err := canDemand(step, f.Says.Expect); err != nil {
		return demand, fmt.Errorf("says: step %d of %s %w", f.Says.Step, demand.ID, err)
	}
	step.Expect = []cases.Expectation{expectation(f.Says.Expect)}
	demand.ID, demand.Steps = c.ID, slices.Clone(demand.Steps)
	demand.Steps[f.Says.Step-1] = step
	return demand, nil
}

// canDemand checks that a step has one outcome, and that what is demanded of it could be part of it: a demand that no
// port could ever fulfil would refute anything.
func canDemand(step cases.Step, members spec.Value) error {
	if len(step.Events) > 1 {
		return errors.New("is a batch")
	}
	for _, m := range members.Members() {
		if step.Action == cases.Observe && !slices.Contains(spec.VerdictMembers(), m.Name) {
			return fmt.Errorf("is an event, and a verdict has no member %s", m.Name)
		}
	}
	return nil
}

// expectation returns the demand for these members; as in a case, null is one for absence.
func expectation(members spec.Value) cases.Expectation {
	var e cases.Expectation
	for _, m := range members.Members() {
		want := cases.Want{Equal: m.Value}
		if m.Value.Kind() == spec.Null {
			want = cases.Want{Absent: true}
		}
		e.Members = append(e.Members, cases.MemberWant{Name: m.Name, Want: want})
	}
	return e
}

// problems returns what is wrong with the claims, one line each, with the claim first.
func (p *proof) problems() []string {
	var problems []string
	for _, c := range p.claims {
		for _, f := range c.Findings {
			for _, err := range p.check(c, f) {
				problems = append(problems, fmt.Sprintf("%s: %s: %v", c.Place, where(c, f), err))
			}
		}
	}
	return problems
}

func (p *proof) check(c sourceclaims.Claim, f sourceclaims.Finding) []error {
	var problems []error
	for _, id := range f.Cases {
		if err := p.checkCase(c, f, id); err != nil {
			problems = append(problems, err)
		}
	}
	if len(problems) > 0 {
		return problems
	}
	if err := p.checkDemand(c, f); err != nil {
		problems = append(problems, err)
	}
	if err := p.checkOther(f); err != nil {
		problems = append(problems, err)
	}
	return problems
}

// checkCase checks that a case is about the claim, in this reading, and passes.
func (p *proof) checkCase(c sourceclaims.Claim, f sourceclaims.Finding, id string) error {
	theCase, known := p.suite[id]
	shared := func(clause string) bool { return slices.Contains(c.Clauses, clause) }
	switch {
	case !known:
		return fmt.Errorf("there is no case %s", id)
	case !slices.Contains(c.Detectors, theCase.Detector):
		return fmt.Errorf("%s is a case of %s", id, theCase.Detector)
	case !slices.Contains(theCase.Readings, f.Reading):
		return fmt.Errorf("%s does not hold for the reading %s", id, f.Reading)
	case len(c.Clauses) > 0 && !slices.ContainsFunc(theCase.Clauses, shared):
		return fmt.Errorf("%s has no clause in common: the claim %v, the case %v", id, c.Clauses, theCase.Clauses)
	case !p.passed[id+", "+string(f.Reading)]:
		return fmt.Errorf("%s does not pass on the reference", id)
	}
	return nil
}

// checkDemand checks that the reference does what the claim demands exactly where the claim holds.
func (p *proof) checkDemand(c sourceclaims.Claim, f sourceclaims.Finding) error {
	if f.Says == nil {
		return nil
	}
	if _, err := p.demand(c, f); err != nil {
		return err
	}
	switch passed := p.passed[where(c, f)]; {
	case passed && f.Status == sourceclaims.Refuted:
		return fmt.Errorf("%s is as the claim demands, so it does not refute it", demanded(f))
	case !passed && f.Status == sourceclaims.Holds:
		return fmt.Errorf("%s is not as the claim demands, so it does not hold", demanded(f))
	}
	return nil
}

// demanded names the part of the first case that the claim speaks of.
func demanded(f sourceclaims.Finding) string {
	if f.Says.Step == 0 {
		return f.Cases[0]
	}
	return fmt.Sprintf("step %d of %s", f.Says.Step, f.Cases[0])
}

// checkOther checks that the case of the other reading shows the same trace with another outcome.
func (p *proof) checkOther(f sourceclaims.Finding) error {
	if f.OtherReading == "" {
		return nil
	}
	other, known := p.suite[f.OtherReading]
	here := p.suite[f.Cases[0]]
	switch {
	case !known:
		return fmt.Errorf("other_reading: there is no case %s", f.OtherReading)
	case trace(other, "expect").String() != trace(here, "expect").String():
		return fmt.Errorf("other_reading: %s is another trace than %s", f.OtherReading, here.ID)
	case outcome(other) == outcome(here):
		return fmt.Errorf("other_reading: %s expects the same as %s", f.OtherReading, here.ID)
	}
	return nil
}

// trace returns the configuration, steps and call of a case, its steps without the member.
func trace(c cases.Case, without string) spec.Value {
	demand := c.Demand()
	var steps []spec.Value
	for _, step := range demand.Get("steps").Items() {
		steps = append(steps, step.Without(without))
	}
	return spec.ArrayValue(demand.Get("config"), spec.ArrayValue(steps...), demand.Get("call"))
}

// outcome returns what a case demands of its trace.
func outcome(c cases.Case) string { return trace(c, "").String() + c.Demand().Get("result").String() }
