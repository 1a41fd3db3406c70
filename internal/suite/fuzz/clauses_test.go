package fuzz

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

// TestADifferenceNamesTheClauseOfTheMember: where no law says which clause is broken, the member of the verdict does,
// with the rule that reports.
func TestADifferenceNamesTheClauseOfTheMember(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		detector spec.DetectorID
		reading  spec.Reading
		kind     spec.VerdictKind
		members  string
		clause   string
	}{
		{spec.Fingerprint, spec.Text, spec.KindExact, "loop kind count", "FP-18"},
		{spec.Fingerprint, spec.Text, spec.KindExact, "tool", "FP-22"},
		{spec.Fingerprint, spec.Text, spec.KindExact, "severity message", "FP-24"},
		{spec.Fingerprint, spec.Text, spec.KindFuzzy, "loop kind count", "FP-19"},
		{spec.Fingerprint, spec.Text, spec.KindFuzzy, "severity message", "FP-24"},
		{spec.Fingerprint, spec.Text, spec.KindTestFix, "loop kind count", "FP-29"},
		{spec.Fingerprint, spec.Text, spec.KindTestFix, "message", "FP-30"},
		{spec.Fingerprint, spec.Text, spec.KindBashCascade, "loop kind count", "FP-31"},
		{spec.Fingerprint, spec.Text, spec.KindBashCascade, "message", "FP-35"},
		{spec.Fingerprint, spec.Text, spec.KindSummary, "loop kind count", "FP-36"},
		{spec.Fingerprint, spec.Text, spec.KindSummary, "message", "FP-38"},
		{spec.Fingerprint, spec.Text, noKind, "count", "FP-21"},
		{spec.Signature, spec.Code, spec.KindSignature, "loop kind signature", "SG-4"},
		{spec.Signature, spec.Code, spec.KindSignature, "count", "SG-15"},
		{spec.Signature, spec.Text, spec.KindSignature, "count", "SG-29"},
		{spec.Signature, spec.Text, noKind, "count", "SG-29"},
		{spec.Signature, spec.Text, noKind, "signature", "SG-4"},
		{spec.History, spec.Code, spec.KindRepeat, "loop kind", "HI-13"},
		{spec.History, spec.Code, spec.KindRepeat, "count", "HI-14"},
		{spec.History, spec.Code, spec.KindToolLimit, "loop kind count", "HI-19"},
		{spec.History, spec.Code, spec.KindFirstWord, "loop kind count", "HI-20"},
		{spec.History, spec.Code, noKind, "count", "HI-14"},
		{spec.Crow, spec.Code, spec.KindMonologue, "loop kind count", "CR-25"},
		{spec.Crow, spec.Text, spec.KindMonologue, "loop kind count", "CR-41"},
		{spec.Crow, spec.Text, spec.KindMonologue, "confidence", "CR-14"},
		{spec.Crow, spec.Text, spec.KindRepeatingAction, "pattern suggestion", "CR-16"},
		{spec.Crow, spec.Text, spec.KindRepeatingError, "pattern suggestion", "CR-17"},
		{spec.Crow, spec.Text, spec.KindMonologue, "pattern suggestion", "CR-18"},
		{spec.Crow, spec.Text, spec.KindAlternating, "pattern suggestion", "CR-19"},
		{spec.Crow, spec.Text, spec.KindContextError, "pattern suggestion", "CR-20"},
		{spec.Swarm, spec.Text, spec.KindGlobal, "loop kind", "SW-6"},
		{spec.Swarm, spec.Text, spec.KindGlobal, "count workers", "SW-8"},
		{spec.Swarm, spec.Text, spec.KindGlobal, "message", "SW-9"},
		{spec.Ralph, spec.Text, spec.KindSimilar, "loop kind", "RA-5"},
		{spec.Ralph, spec.Text, spec.KindSimilar, "similarity", "RA-8"},
		{spec.Guards, spec.Text, spec.KindMaxIterations, "loop kind count", "GU-5"},
		{spec.Guards, spec.Text, spec.KindMaxRuntime, "loop kind", "GU-6"},
		{spec.Guards, spec.Text, spec.KindLoopDetection, "loop kind count", "GU-7"},
		{spec.Guards, spec.Text, spec.KindConsecutiveErrors, "loop kind count", "GU-8"},
		{spec.Composed, spec.Code, spec.KindRun, "loop kind count", "CO-25"},
		{spec.Composed, spec.Code, spec.KindRun, "severity rule rung", "CO-37"},
		{spec.Composed, spec.Code, spec.KindAmong, "loop kind count", "CO-26"},
		{spec.Composed, spec.Code, spec.KindCycle, "loop kind count period", "CO-31"},
		{spec.Composed, spec.Code, spec.KindPeriodic, "loop kind count period", "CO-47"},
		{spec.Composed, spec.Code, spec.KindStreak, "loop kind count", "CO-29"},
		{spec.Composed, spec.Code, spec.KindRevisit, "loop kind count", "CO-44"},
		{"@mine", spec.Code, spec.KindRevisit, "rung", "CO-37"},
		{spec.Stream, spec.Code, spec.KindTail, "loop kind count period", "ST-8"},
		{spec.Stream, spec.Code, spec.KindChunk, "loop kind count", "ST-10"},
		{spec.Stream, spec.Code, spec.KindLines, "loop kind count", "ST-16"},
	} {
		for member := range strings.FieldsSeq(test.members) {
			c := Counterexample{
				Subject{Trace: laws.Trace{Detector: test.detector, Reading: test.reading}},
				Finding{
					Check: laws.AgreementID, Kind: test.kind,
					Want: spec.ObjectValue(spec.Member{Name: member, Value: spec.StringValue("a")}), Got: spec.ObjectValue(),
				},
			}
			if got := clausesOf(c); got[0] != test.clause {
				t.Errorf("%s (%s), %s of %q: got %s, want %s first",
					test.detector, test.reading, member, test.kind, got, test.clause)
			}
		}
	}
}

// TestEveryMemberOfAVerdictHasAClauseThatNamesIt: a member is not blamed on a clause that says nothing of it. Those of
// composed speak of the count and the period, CR-14 of the confidences, in words alone.
func TestEveryMemberOfAVerdictHasAClauseThatNamesIt(t *testing.T) {
	t.Parallel()
	check := func(d spec.Definition, kind spec.VerdictKind, member string) {
		for _, reading := range d.Readings {
			clauses := search{d, reading, kind}.ofMember(member)
			if len(clauses) == 0 {
				t.Errorf("%s (%s): no clause says what %s of %q is", d.ID, reading, member, kind)
				continue
			}
			isUnnamed := member == "confidence" || d.ID == spec.Composed && (member == "count" || member == "period")
			if clause, _ := spec.ClauseByID(clauses[0]); !isUnnamed && !strings.Contains(clause.Text, "`"+member+"`") {
				t.Errorf("%s says nothing of `%s`, which %s has", clause.ID, member, kind)
			}
		}
	}
	for _, d := range spec.Detectors() {
		for _, member := range d.Quiet {
			check(d, noKind, member)
		}
		for _, rule := range d.Rules {
			for _, member := range slices.Concat(rule.Required, rule.Optional) {
				check(d, rule.Kind, member)
			}
		}
	}
}

// TestAFindingNamesTheClauseThatItBreaks: of refusals, functions, members that no clause names, and laws.
func TestAFindingNamesTheClauseThatItBreaks(t *testing.T) {
	t.Parallel()
	event := laws.Step{Event: spec.MustParse(`{"type":"output","text":""}`)}
	text := spec.StringValue
	accepted := text("accepted")
	on := func(steps ...laws.Step) Subject { return Subject{Trace: laws.Trace{Steps: steps}} }
	config := Subject{Trace: laws.Trace{Config: spec.ObjectValue(), Steps: []laws.Step{event}}}
	of := func(d spec.DetectorID) laws.Trace { return laws.Trace{Detector: d, Reading: spec.Text} }
	for _, test := range []struct {
		reason  string
		subject Subject
		finding Finding
		clause  string
	}{
		{"a legal event is refused", on(event), Finding{Want: accepted, Got: text("invalid_event text")}, "PR-28"},
		{"whatever the refusal is called", on(event), Finding{Want: accepted, Got: text("invalid_params")}, "PR-28"},
		{"a reset is refused", on(event, laws.Step{}), Finding{Want: accepted, Got: text("invalid_params")}, "PR-16"},
		{"a configuration is refused", config, Finding{Want: accepted, Got: text("invalid_params"), Unopened: true}, "PR-30"},
		{"defaults are refused", on(event), Finding{Want: accepted, Got: text("invalid_config"), Unopened: true}, "PR-30"},
		{"no session opens", on(event), Finding{Want: accepted, Got: text("invalid_params"), Unopened: true}, "PR-13"},
		{"a reading is not there", on(), Finding{Want: accepted, Got: text("unsupported text")}, "PR-25"},
		{"a wrong setting is accepted", on(), Finding{Want: text("invalid_config threshold"), Got: accepted}, "PR-31"},
		{
			"the detector has a clause about the refusal",
			Subject{Trace: of(spec.Swarm)},
			Finding{Want: text("invalid_event worker"), Got: accepted},
			"SW-2",
		},
		{
			"a function",
			Subject{Trace: of(spec.Ralph), Function: "ralph.ratio"},
			Finding{Want: spec.IntValue(1), Got: spec.IntValue(2)},
			"RA-12",
		},
		{"a member too many", on(), Finding{Got: spec.MustParse(`{"kind":"a"}`), Extra: true}, "PR-32"},
		{"a law has its own", on(), Finding{Check: "reset-is-fresh"}, "PR-16"},
	} {
		if test.subject.Detector == "" {
			test.subject.Detector, test.subject.Reading = spec.Signature, spec.Code
		}
		test.finding.Check = cmp.Or(test.finding.Check, laws.AgreementID)
		if got := clausesOf(Counterexample{test.subject, test.finding}); got[0] != test.clause {
			t.Errorf("%s: got %s, want %s first", test.reason, got, test.clause)
		}
	}
}
