package cover

import (
	"context"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/strength/kills"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

func TestEveryCaseExercisesTheClausesThatItCites(t *testing.T) {
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	if err := checkOnReference(suite, spec.Clauses(), kills.Measured()); err != nil {
		t.Errorf("the suite is wrong:\n%v", err)
	}
}

func checkOnReference(suite []cases.Case, clauses []spec.Clause, measured *kills.List) error {
	observed, err := Observe(context.Background(), suite, reference.Implementations())
	if err != nil {
		return err
	}
	return Check(suite, clauses, observed, measured)
}

// parse reads one case of a detector.
func parse(t *testing.T, detector, body string) []cases.Case {
	t.Helper()
	text := "detector: " + detector + "\ncases:\n  - id: " + detector + "-case\n    title: A case\n    source: silent\n" +
		"    why: It is a test.\n    " + strings.ReplaceAll(strings.TrimSpace(body), "\n", "\n    ") + "\n"
	suite, err := cases.Parse(detector+"/test.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return suite
}

func TestCitations(t *testing.T) {
	for _, test := range []struct{ reason, detector, body, want string }{
		{"a rule that spoke", "fingerprint", `
clauses: [FP-18, FP-25]
steps: [{tool_call: {tool: t}, times: 2}, {tool_call: {tool: t}, expect: {loop: true}}]`, ""},
		{
			"a rule that did not come to speak", "fingerprint", `
clauses: [FP-18]
steps: [{tool_call: {tool: t}, expect: {loop: false}}]`,
			"fingerprint-case cites FP-18, but the reference did not apply it",
		},
		{
			"what the case does not do", "fingerprint", `
clauses: [PR-16]
steps: [{tool_call: {tool: t}, expect: {loop: false}}]`,
			"cites PR-16, but the reference did not apply it, and it is no case that resets a session",
		},
		{"a configuration that is refused", "fingerprint", `
clauses: [FP-4, PR-31]
config: {threshold: 0}
refuse: {kind: invalid_config, field: threshold}`, ""},
		{"an event that is ignored", "guards", `
clauses: [GU-1, PR-33]
steps: [{output: {text: x}, expect: {loop: false}}]`, ""},
		{
			"an event that is not ignored", "guards", `
clauses: [PR-33]
steps: [{iteration: {elapsed_s: 1, output: x, failed: false}, expect: {loop: false}}]`,
			"no case that observes an event of a type that is ignored",
		},
		{"a function", "fingerprint", `
clauses: [FP-46]
needs: [functions]
call: {function: fingerprint.compute, args: {tool: t, args: {}}}
result: {same_as: {tool: t, args: {}}}`, "no case that calls fingerprint.nudge"},
		{"a function that is observed as an event", "signature", `
clauses: [SG-18]
readings: [text]
needs: [functions]
call: {function: signature.extract, args: {output: "Error: E - m at f.ts"}}
result: "error:E-m-f.ts"`, ""},
		{"a rule of the guards' own detector", "guards", `
clauses: [SG-18]
steps: [{iteration: {elapsed_s: 1, output: "Error: E at f", failed: false}, expect: {loop: false}}]`, ""},
		{"a case that fails", "fingerprint", `
clauses: [FP-18]
steps: [{tool_call: {tool: t}, expect: {loop: true}}]`, "fingerprint-case does not pass"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			err := checkOnReference(parse(t, test.detector, test.body), nil, &kills.List{})
			switch {
			case test.want == "" && err != nil:
				t.Errorf("want nothing to say, got:\n%v", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("want a problem with %q, got:\n%v", test.want, err)
			}
		})
	}
}

func TestAClauseThatNoCaseExercises(t *testing.T) {
	clauses := []spec.Clause{
		{ID: "FP-18", Level: spec.Must, File: "fingerprint.md", Line: 3},
		{ID: "FP-34", Level: spec.May, File: "fingerprint.md", Line: 5},
	}
	err := checkOnReference(parse(t, "fingerprint", `
clauses: [FP-18]
steps: [{tool_call: {tool: t}, expect: {loop: false}}]`), clauses, &kills.List{})
	const want = "clauses/fingerprint.md:3:1: no case exercises FP-18, which is a MUST"
	if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "FP-34") {
		t.Errorf("want only %q besides the citation, got:\n%v", want, err)
	}
}

func TestAClauseThatIsExercisedAndNotTested(t *testing.T) {
	clauses := []spec.Clause{{ID: "FP-5", Level: spec.Must, File: "fingerprint.md", Line: 3}}
	suite := parse(t, "fingerprint", `
clauses: [FP-5]
steps: [{tool_call: {tool: t}, times: 2}, {reset: true}, {tool_call: {tool: t}, expect: {loop: false}}]`)
	for _, test := range []struct {
		reason   string
		measured kills.List
		want     string // empty for no problem
	}{
		{"the clause has no mutants", kills.List{}, ""},
		{"the case kills one of them", kills.List{
			Clauses: map[string]int{"FP-5": 2}, Cases: map[string]kills.Record{"fingerprint-case": {Clauses: []string{"FP-5"}}},
		}, ""},
		{
			"only cases of other clauses kill them",
			kills.List{Clauses: map[string]int{"FP-5": 2}},
			"clauses/fingerprint.md:3:1: no case that exercises FP-5 kills one of its 2 mutants, which is a MUST",
		},
	} {
		err := checkOnReference(suite, clauses, &test.measured)
		if test.want == "" && err != nil || test.want != "" && (err == nil || err.Error() != test.want) {
			t.Errorf("%s: got %v, want %q", test.reason, err, test.want)
		}
	}
}

func TestADetectorThatDoesNotSayWhatItApplies(t *testing.T) {
	silent := reference.Implementations()
	silent[0].New = func(spec.Reading, spec.Value) (spec.Detector, error) { return mute{}, nil }
	_, err := Observe(context.Background(), parse(t, "fingerprint", `
clauses: [FP-18]
steps: [{tool_call: {tool: t}, expect: {loop: false}}]`), silent)
	if err == nil {
		t.Error("want an error, got none")
	}
}

// mute is a detector without a log.
type mute struct{}

func (mute) Observe(spec.Event) spec.Verdict { return spec.Verdict{} }
func (mute) Reset()                          {}
