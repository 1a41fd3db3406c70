package spec

import (
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/lists"
)

// TestAVerdictHasEmptyTextsThatAreThere: the name of a tool and a signature may be empty, which does not mean absent.
func TestAVerdictHasEmptyTextsThatAreThere(t *testing.T) {
	t.Parallel()
	for want, verdict := range map[string]Verdict{
		`{"loop":true,"kind":"exact","tool":""}`: {Loop: true, Kind: KindExact, HasTool: true},
		`{"loop":true,"kind":"exact"}`:           {Loop: true, Kind: KindExact},
		`{"loop":false,"signature":""}`:          {HasSignature: true},
		`{"loop":false}`:                         {},
	} {
		if got := verdict.Value().String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestMisplacedMembers: a verdict has the members that the clauses of its detector name for it, and others that the
// protocol does not know.
func TestMisplacedMembers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason, verdict string
		detector        DetectorID
		misplaced       string
	}{
		{
			"all that it may have",
			`{"loop":true,"kind":"exact","count":3,"severity":"notice","tool":"","message":"m","evidence":[0]}`,
			Fingerprint, "",
		},
		{"all that it may have without a loop", `{"loop":false,"count":1,"signature":"a"}`, Signature, ""},
		{"a kind without a loop", `{"loop":false,"kind":"repeat","count":1}`, History, "kind"},
		{"an empty kind is one, too", `{"loop":false,"kind":""}`, History, "kind"},
		{"evidence without a loop", `{"loop":false,"evidence":[]}`, Ralph, "evidence"},
		{"a member of another rule", `{"loop":true,"kind":"chunk","count":10,"period":3}`, Stream, "period"},
		{"a guard without a count", `{"loop":true,"kind":"max_runtime","count":3}`, Guards, "count"},
		{"two of other detectors", `{"confidence":1,"loop":true,"kind":"repeat","rung":"a"}`, History, "confidence rung"},
		{"members that the protocol does not know", `{"loop":false,"note":"kind"}`, History, ""},
		{"a kind that the specification does not have", `{"loop":true,"kind":"mine","period":3}`, History, ""},
		{"a port that does not declare the kind", `{"loop":true,"count":3}`, History, ""},
		{"a profile", `{"loop":false,"kind":"run","count":3}`, "@roo", ""},
		{"a detector of the port's own", `{"loop":false,"kind":"run"}`, "mine", ""},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			row, _ := DefinitionOf(test.detector)
			names := lists.Map(row.Misplaced(MustParse(test.verdict)), func(m Member) string { return m.Name })
			if got := strings.Join(names, " "); got != test.misplaced {
				t.Errorf("%s: got %q, want %q", test.verdict, got, test.misplaced)
			}
		})
	}
}

// TestEvidenceIsOfIntegers, however they are written: JSON Schema's integers.
func TestEvidenceIsOfIntegers(t *testing.T) {
	t.Parallel()
	for evidence, isWell := range map[string]bool{
		`[]`: true, `[0,2]`: true, `[0.0,2e0]`: true, `[1e400]`: true, `[0.5]`: false, `["0"]`: false, `[null]`: false,
	} {
		if err := CheckVerdict(MustParse(`{"loop":true,"evidence":` + evidence + `}`)); (err == nil) != isWell {
			t.Errorf("%s: %v", evidence, err)
		}
	}
}

// TestIntegersAgreeOnlyIfTheyAreEqual, however they are written; other numbers may lie a little apart.
func TestIntegersAgreeOnlyIfTheyAreEqual(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		member, a, b string
		agree        bool
	}{
		{"count", "3", "3.0", true},
		{"count", "3", "3.0000000001", false},
		{"workers", "2.0000000001", "2", false},
		{"period", "2", "2.0000000001", false},
		{"similarity", "100", "99.9999999999", true},
		{"confidence", "0.95", "0.9500000001", true},
		{"confidence", "0.95", "0.951", false},
		{"", "1", "1.0000000001", true},
	} {
		if got := Agrees(test.member, MustParse(test.a), MustParse(test.b)); got != test.agree {
			t.Errorf("%s %s and %s: agree is %t", test.member, test.a, test.b, got)
		}
	}
}
