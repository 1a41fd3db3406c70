package fuzz

import (
	"testing"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

// TestADifferenceNamesTheClauseOfTheRule: where no law says which clause is broken, the difference does.
func TestADifferenceNamesTheClauseOfTheRule(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason, check string
		detector      spec.DetectorID
		reading       spec.Reading
		want, got     string
		clause        string
	}{
		{"a loop is missed", laws.AgreementID, spec.Composed, spec.Code, `{"loop":true,"kind":"run"}`, `{"loop":false}`, "CO-25"},
		{"a loop is false", laws.AgreementID, spec.Composed, spec.Code, `{"loop":false}`, `{"loop":true,"kind":"cycle"}`, "CO-31"},
		{"another rule reports", laws.AgreementID, spec.Crow, spec.Text, `{"kind":"monologue"}`, `{"kind":"alternating"}`, "CR-41"},
		{"the reading decides", laws.AgreementID, spec.Crow, spec.Code, `{"kind":"monologue"}`, `{"loop":false}`, "CR-25"},
		{
			"a member differs", laws.AgreementID, spec.Ralph, spec.Text,
			`{"kind":"similar","similarity":90}`, `{"kind":"similar","similarity":91}`, "RA-2",
		},
		{
			"the same loop is counted otherwise", laws.AgreementID, spec.Crow, spec.Text,
			`{"kind":"context_error","count":3}`, `{"kind":"context_error","count":2}`, "CR-45",
		},
		{
			"a member that functions have, too", laws.AgreementID, spec.Crow, spec.Text,
			`{"kind":"monologue","suggestion":"a"}`, `{"kind":"monologue","suggestion":"b"}`, "CR-12",
		},
		{"a law has its own", "reset-is-fresh", spec.History, spec.Code, `{"kind":"repeat"}`, `{"loop":false}`, "PR-16"},
	} {
		c := Counterexample{
			Subject{Trace: laws.Trace{Detector: test.detector, Reading: test.reading}},
			Finding{Check: test.check, Want: spec.MustParse(test.want), Got: spec.MustParse(test.got)},
		}
		if got := clausesOf(c); len(got) == 0 || got[0] != test.clause {
			t.Errorf("%s: got %s, want %s first", test.reason, got, test.clause)
		}
	}
}
