package conformance_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/claims"
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

var opposite = map[claims.Status]claims.Status{claims.Holds: claims.Refuted, claims.Refuted: claims.Holds}

func TestAClaimThatIsNotProvedIsFound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		why    string
		change func(*claims.Claim)
		want   string
	}{
		{
			"a case that is gone proves nothing", func(c *claims.Claim) { c.Findings[0].Cases[0] = "signature-gone" },
			"there is no case signature-gone",
		},
		{
			"nor does one of another detector", func(c *claims.Claim) { c.Findings[0].Cases[0] = "ralph-reset" },
			"ralph-reset is a case of ralph",
		},
		{
			"nor one of another reading", func(c *claims.Claim) { c.Findings[0].Cases[0] = "signature-interrupted-run-text" },
			"signature-interrupted-run-text does not hold for the reading code",
		},
		{
			"nor one about another rule", func(c *claims.Claim) { c.Clauses = []string{"SG-1"} },
			"has no clause in common",
		},
		{
			"a contrast needs the same trace", func(c *claims.Claim) { c.Findings[0].Contrast = "signature-text-run" },
			"signature-text-run is another trace",
		},
		{
			"and another expectation", func(c *claims.Claim) { c.Findings[0].Contrast = "signature-interrupted-run-code" },
			"signature-interrupted-run-code expects the same",
		},
		{
			"a demand needs a step to be made of", func(c *claims.Claim) { c.Findings[0].Says = &claims.Says{Step: 9} },
			"says: signature-interrupted-run-code has no step 9",
		},
		{"and a member that there is", func(c *claims.Claim) {
			c.Findings[0].Says = &claims.Says{Step: 1, Expect: spec.ObjectValue(spec.Member{Name: "lop", Value: spec.BoolValue(true)})}
		}, "a verdict has no member lop"},
		{
			"a trace is no function", func(c *claims.Claim) { c.Findings[0].Says = &claims.Says{Result: spec.IntValue(1)} },
			"says: signature-interrupted-run-code calls no function",
		},
	} {
		t.Run(tt.why, func(t *testing.T) {
			t.Parallel()
			c := claimAbout(t, "signature-interrupted-run-code")
			tt.change(&c)
			problems := newProof(t, []claims.Claim{c}).problems()
			if !strings.Contains(strings.Join(problems, "\n"), tt.want) {
				t.Errorf("want a problem with %q, got %q", tt.want, problems)
			}
		})
	}
}

// ledger returns the built-in claims; the caller may change what is in them.
func ledger(t *testing.T) []claims.Claim {
	t.Helper()
	shared, err := claims.All()
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
func claimAbout(t *testing.T, id string) claims.Claim {
	t.Helper()
	for _, c := range ledger(t) {
		if f := c.Findings[0]; len(f.Cases) > 0 && f.Cases[0] == id {
			return c
		}
	}
	t.Fatalf("no claim is decided by %s", id)
	return claims.Claim{}
}
