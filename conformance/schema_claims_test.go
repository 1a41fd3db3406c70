package conformance_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/claims"
	"github.com/loopstone/loopstone/internal/strictyaml"
	"github.com/loopstone/loopstone/spec"
)

func TestEveryClaimFileIsValid(t *testing.T) {
	t.Parallel()
	paths, err := fs.Glob(spec.ClaimFiles(), "*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("claim files: %v, %v", paths, err)
	}
	for _, path := range paths {
		text, err := fs.ReadFile(spec.ClaimFiles(), path)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkClaimFile(t, string(text)); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// goodClaims is a file that the loader and the schema accept. A bad file is this one with one text replaced.
const goodClaims = `document: D2
title: A thing
advice: [Do it.]
without_claims: [{section: files, reason: It only names files.}]
claims:
  - id: D2-1
    section: top
    kind: sentence
    claim: Three in a row are a loop.
    detectors: [signature]
    clauses: [SG-15, SG-29]
    says: {step: 4, expect: {loop: false}}
    readings:
      code: {status: refuted, reason: They need not, cases: [signature-b], contrast: signature-a}
      text: {status: holds, cases: [signature-a], says: {result: 1}}
  - id: D2-2
    section: top
    kind: table
    claim: The guard waits for nobody.
    detectors: [guards]
    readings:
      text: {status: ambiguous, reason: Nobody can be asked}
`

// The loader and the schema refuse the same files, as far as a schema can.
func TestTheSchemaOfClaimsRefusesWhatTheLoaderRefuses(t *testing.T) {
	t.Parallel()
	if err := checkClaimFile(t, goodClaims); err != nil {
		t.Fatal(err)
	}
	if _, err := claims.Parse("D2.yaml", []byte(goodClaims)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ why, old, new string }{
		{"an unknown member", "title:", "tilte:"},
		{"a document that there is not", "document: D2", "document: D6"},
		{"an id that is none", "id: D2-1", "id: D2-01"},
		{"a heading in place of its slug", "section: top", "section: Top"},
		{"another kind", "kind: table", "kind: rumour"},
		{"another detector", "[guards]", "[guard]"},
		{"another status", "status: holds", "status: maybe"},
		{"another reading", "      text: {status: amb", "      prose: {status: amb"},
		{"no readings", "      text: {status: ambiguous, reason: Nobody can be asked}\n", "      {}\n"},
		{"holds without a case", "holds, cases: [signature-a]", "holds"},
		{"holds with a reason", "status: holds", "status: holds, reason: Because"},
		{"refuted without a reason", "reason: They need not, ", ""},
		{"refuted without a case", "cases: [signature-b], ", ""},
		{"ambiguous without a reason", ", reason: Nobody can be asked", ""},
		{"ambiguous with a demand", "status: ambiguous", "says: {result: 1}, status: ambiguous"},
		{"a demand of no step", "{step: 4, ", "{"},
		{"a demand of nothing", ", expect: {loop: false}", ""},
		{"a demand of a step and of a function", "{result: 1}", "{step: 1, expect: {loop: true}, result: 1}"},
		{"a case twice", "[signature-b]", "[signature-b, signature-b]"},
		{"no advice", "[Do it.]", "[]"},
	} {
		t.Run(tt.why, func(t *testing.T) {
			t.Parallel()
			text := strings.Replace(goodClaims, tt.old, tt.new, 1)
			if text == goodClaims {
				t.Fatalf("%q does not stand in the good file", tt.old)
			}
			if err := checkClaimFile(t, text); err == nil {
				t.Error("the schema accepts it")
			}
			if _, err := claims.Parse("D2.yaml", []byte(text)); err == nil {
				t.Error("the loader accepts it")
			}
		})
	}
}

func checkClaimFile(t *testing.T, text string) error {
	t.Helper()
	document, err := strictyaml.Parse("D2.yaml", []byte(text))
	if err != nil {
		return err
	}
	return check(compileSchema(t, "claims"), document.Value())
}
