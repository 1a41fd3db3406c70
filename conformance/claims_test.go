package conformance_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/loopstone/loopstone/internal/suite/claims"
	"github.com/loopstone/loopstone/spec"
)

func TestEveryClaimIsProved(t *testing.T) {
	if raced {
		t.Skip("nothing runs at the same time: without the race detector only")
	}
	t.Parallel()
	for _, problem := range newProof(t, ledger(t)).problems() {
		t.Error(problem)
	}
}

// A verdict that is turned round must be found out wherever the claim says what it demands of its case.
func TestAWrongVerdictOnAClaimIsFound(t *testing.T) {
	if raced {
		t.Skip("nothing runs at the same time: without the race detector only")
	}
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
	if raced {
		t.Skip("nothing runs at the same time: without the race detector only")
	}
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

// The documents stand beside the repository where it is developed. They are not part of it.
const documentsFolder = "../../shared/documents"

func TestEverySectionOfTheDocumentsHasItsClaims(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(documentsFolder); err != nil {
		t.Skipf("the documents are not here: %v", err)
	}
	all, err := claims.Documents()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		paths, err := filepath.Glob(filepath.Join(documentsFolder, d.ID+"-*.md"))
		if err != nil || len(paths) != 1 {
			t.Errorf("%s: want one document, got %v, %v", d.ID, paths, err)
			continue
		}
		text, err := os.ReadFile(paths[0])
		if err != nil {
			t.Error(err)
			continue
		}
		for _, problem := range checkSections(d, headings(string(text))) {
			t.Errorf("%s.yaml: %s", d.ID, problem)
		}
	}
}

func TestAMissingOrMisplacedSectionIsFound(t *testing.T) {
	t.Parallel()
	text := "# First\n```\n# no heading\n```\n## Second (so to say)\n"
	claim := func(id, section string) claims.Claim { return claims.Claim{ID: id, Section: section} }
	first, second := claim("D1-1", "first"), claim("D1-2", "second-so-to-say")
	for _, tt := range []struct {
		why  string
		doc  claims.Document
		want []string
	}{
		{"a claim in each section", claims.Document{Claims: []claims.Claim{first, second}}, nil},
		{
			"a section may be passed over",
			claims.Document{Claims: []claims.Claim{second}, Omissions: []claims.Omission{{Section: "first"}}},
			nil,
		},
		{
			"a section without a word about it",
			claims.Document{Claims: []claims.Claim{first}},
			[]string{"the section second-so-to-say has no claim and is not listed under without_claims"},
		},
		{
			"a section that there is not",
			claims.Document{Claims: []claims.Claim{first, second, claim("D1-3", "third")}},
			[]string{"D1-3: the document has no section third"},
		},
		{
			"a heading within a listing",
			claims.Document{Claims: []claims.Claim{first, second, claim("D1-3", "no-heading")}},
			[]string{"D1-3: the document has no section no-heading"},
		},
		{
			"claims in another order than the document",
			claims.Document{Claims: []claims.Claim{second, first}},
			[]string{"D1-1: its section first stands before that of the claim before it"},
		},
	} {
		t.Run(tt.why, func(t *testing.T) {
			t.Parallel()
			if got := checkSections(tt.doc, headings(text)); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// checkSections checks a document's claims against its headings.
func checkSections(d claims.Document, headings []string) []string {
	var problems []string
	mentioned, last := map[string]bool{}, 0
	for _, c := range d.Claims {
		at := slices.Index(headings, c.Section)
		mentioned[c.Section] = true
		switch {
		case at < 0:
			problems = append(problems, fmt.Sprintf("%s: the document has no section %s", c.ID, c.Section))
		case at < last:
			problems = append(problems, fmt.Sprintf("%s: its section %s stands before that of the claim before it", c.ID, c.Section))
		}
		last = max(last, at)
	}
	for _, o := range d.Omissions {
		mentioned[o.Section] = true
		if !slices.Contains(headings, o.Section) {
			problems = append(problems, fmt.Sprintf("without_claims: the document has no section %s", o.Section))
		}
	}
	for _, heading := range headings {
		if !mentioned[heading] {
			problems = append(problems, fmt.Sprintf("the section %s has no claim and is not listed under without_claims", heading))
		}
	}
	return problems
}

// headings returns the slugs of a document's headings, those within listings left out.
func headings(text string) []string {
	var slugs []string
	inListing := false
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "```") {
			inListing = !inListing
		}
		title := strings.TrimLeft(line, "#")
		if !inListing && title != line && strings.HasPrefix(title, " ") {
			slugs = append(slugs, slugOf(strings.TrimSpace(title)))
		}
	}
	return slugs
}

// slugOf returns the slug that GitHub gives a heading.
func slugOf(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		default:
			return -1
		}
	}, title)
}
