package claims_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/loopstone/loopstone/internal/suite/claims"
)

// The documents stand beside the repository where it is developed. They are not part of it.
const documentsFolder = "../../../../shared/documents"

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
