//go:build unix

package conformance_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/faulty"
	"github.com/loopstone/loopstone/internal/fuzz"
	"github.com/loopstone/loopstone/internal/generate"
	"github.com/loopstone/loopstone/spec"
)

// wrongSuites are suites with one case that is wrong among others that are right. Each is judged with an animal that
// does all as it should.
var wrongSuites = []struct {
	name, why, words string
	suite            func(*testing.T) []cases.Case
}{
	{
		"an expectation that is wrong", "the reference fails the case as well: it proves nothing",
		"the reference fails it too, by step 1: the verdict is another (count: want 2, got 1)",
		func(t *testing.T) []cases.Case {
			return loaded(t, "history", `{tool_call: {tool: t}, expect: {loop: false, count: 2}}`)
		},
	},
	{
		"a refusal that the clauses do not know", "the reference accepts what the case wants refused",
		"the reference fails it too, by step 1: the port accepted what it must refuse",
		func(t *testing.T) []cases.Case {
			return loaded(t, "history", `{tool_call: {tool: t}, fault: {kind: invalid_event, field: tool}}`)
		},
	},
	{
		"a step that nobody can carry out", "the loader would refuse it; a suite made in Go has no loader",
		`step 1: no action is called "dance"`,
		func(t *testing.T) []cases.Case {
			return made(t, func(c *cases.Case) { c.Steps = []cases.Step{{Action: "dance", Session: cases.MainSession}} })
		},
	},
	{
		"a call without a result", "comparing with nothing panics, and no port is to blame for that",
		"a check panicked: runtime error: invalid memory address or nil pointer dereference in conformance.(*judge).",
		func(t *testing.T) []cases.Case {
			return made(t, func(c *cases.Case) {
				c.Steps, c.Call = nil, &cases.Call{Function: "history.hash", Args: spec.MustParse(`{"tool":"t","args":{}}`)}
			})
		},
	},
	{
		"an exchange that goes on after the exit", "nobody is there any more to be spoken to",
		"a check panicked: runtime error: invalid memory address or nil pointer dereference in conformance",
		func(t *testing.T) []cases.Case { return loadedExchange(t, `{close: true}, {exit: 0}, {raw: ""}`) },
	},
}

// loaded returns a suite of a file: a case that is right, one of these steps, and another that is right.
func loaded(t *testing.T, detector, steps string) []cases.Case {
	t.Helper()
	right := callCases(t, 2)
	file := "detector: " + detector + "\ncases:\n" +
		"  - {id: " + detector + "-wrong, title: The case is wrong, clauses: [HI-1], source: silent, why: Nobody knows.,\n" +
		"     steps: [" + steps + "]}\n"
	suite, err := cases.Load(fstest.MapFS{detector + "/wrong.yaml": {Data: []byte(file)}})
	if err != nil {
		t.Fatal(err)
	}
	return []cases.Case{right[0], suite[0], right[1]}
}

// loadedExchange returns the same of the protocol.
func loadedExchange(t *testing.T, steps string) []cases.Case {
	t.Helper()
	file := "detector: protocol\ncases:\n" +
		"  - {id: protocol-wrong, title: The case is wrong, clauses: [PR-1], source: silent, why: Nobody knows.,\n" +
		"     exchange: [" + steps + "]}\n" +
		"  - {id: protocol-right, title: The case is right, clauses: [PR-8], source: silent, why: Everybody knows.,\n" +
		"     exchange: [{close: true}, {exit: 0}]}\n"
	suite, err := cases.Load(fstest.MapFS{"protocol/wrong.yaml": {Data: []byte(file)}})
	if err != nil {
		t.Fatal(err)
	}
	return append(suite, callCases(t, 1)...)
}

// made returns a suite whose second case was changed in Go.
func made(t *testing.T, change func(*cases.Case)) []cases.Case {
	t.Helper()
	suite := callCases(t, 3)
	change(&suite[1])
	return suite
}

// TestTheSuiteAnswersForItsOwnFaults shows the fourth voice: no adapter can provoke it, only a suite that is wrong. The
// other cases are judged all the same, by the same process.
func TestTheSuiteAnswersForItsOwnFaults(t *testing.T) {
	t.Parallel()
	for _, test := range wrongSuites {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			report := judgeHealthy(t, test.suite(t))
			if report.Outcome() != conformance.SuiteFault || report.Count(conformance.Faulty) != 1 ||
				report.Count(conformance.Passed) != len(report.Results)-1 || report.Restarts > 0 {
				t.Errorf("%s: got %s, %d restarts: %s", test.why, report.Outcome(), report.Restarts, notPassed(report))
			}
			if words := wordsOf(report); !strings.Contains(words, test.words) {
				t.Errorf("the report says %q, want %q in it", words, test.words)
			}
		})
	}
}

// judgeHealthy judges an animal without faults, as the command does.
func judgeHealthy(t *testing.T, suite []cases.Case) *conformance.Report {
	t.Helper()
	command := own(t, faulty.Env+"=healthy")
	adapter, err := conformance.StartAdapter(t.Context(), command, patient)
	if err != nil {
		t.Fatal(err)
	}
	defer adapter.Close()
	description, err := adapter.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dial := func(ctx context.Context) (*stdio.Wire, error) { return stdio.OpenWire(ctx, command, patient) }
	exchanges, err := conformance.CheckAdapter(t.Context(), dial, description, suite, patient)
	if err != nil {
		t.Fatal(err)
	}
	report, err := conformance.Run(t.Context(), adapter, suite, conformance.Options{Oracle: historyPort()})
	if err != nil {
		t.Fatal(err)
	}
	report.Results = append(exchanges, report.Results...)
	return report
}

// TestASecondOpinionAcquitsNobody shows that a port stays wrong where the oracle is right, or has no opinion.
func TestASecondOpinionAcquitsNobody(t *testing.T) {
	t.Parallel()
	liar := &guest{historyPort(), func(_ string, verdicts []spec.Value) ([]spec.Value, error) {
		verdicts[0] = spec.MustParse(`{"loop":true,"kind":"repeat","count":7}`)
		return verdicts, nil
	}}
	for why, oracle := range map[string]spec.Port{
		"the oracle is right":                   historyPort(),
		"the oracle does not know the detector": spec.NewHost(spec.Description{Name: "another"}),
		"nobody is asked":                       nil,
	} {
		report, err := conformance.Run(t.Context(), liar, callCases(t, 2), conformance.Options{Oracle: oracle})
		if err != nil {
			t.Fatal(err)
		}
		if report.Outcome() != conformance.NotConformant || report.Count(conformance.Failed) != 2 {
			t.Errorf("%s: got %s: %s", why, report.Outcome(), notPassed(report))
		}
	}
}

// TestAnOracleThatFailsBlamesNoPort compares an honest port with oracles that cannot answer, on generated traces.
func TestAnOracleThatFailsBlamesNoPort(t *testing.T) {
	t.Parallel()
	laws, err := conformance.Selection{Cases: []string{"history-law-agreement"}}.Select(fuzz.Cases())
	if err != nil {
		t.Fatal(err)
	}
	for why, observe := range map[string]func(string, []spec.Value) ([]spec.Value, error){
		"it panics":        func(string, []spec.Value) ([]spec.Value, error) { panic("no such luck") },
		"it has no answer": func(string, []spec.Value) ([]spec.Value, error) { return nil, errors.New("no such luck") },
	} {
		oracle := conformance.Oracle(&guest{historyPort(), observe})
		results, err := fuzz.Judge(t.Context(), historyPort(), oracle, generate.For, laws, fuzz.Budget{Checks: 20, Seeds: []int64{1}})
		var ours *conformance.SuiteError
		if !errors.As(err, &ours) || !strings.Contains(err.Error(), "the oracle has no answer: ") || !strings.Contains(err.Error(), "no such luck") {
			t.Errorf("%s: got %v, %+v; want an error of the suite", why, err, results)
		}
	}
}

// TestARefusalOfTheOracleIsAnOpinion shows that a port is still compared with an oracle that refuses.
func TestARefusalOfTheOracleIsAnOpinion(t *testing.T) {
	t.Parallel()
	_, err := conformance.Oracle(historyPort()).Open(t.Context(), spec.History, spec.Code, spec.MustParse(`{"no_such_member":1}`))
	var fault *spec.Fault
	if !errors.As(err, &fault) || fault.Kind != spec.InvalidConfig {
		t.Errorf("got %v, want %s", err, spec.InvalidConfig)
	}
}
