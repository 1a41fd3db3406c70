//go:build unix

package conformance_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/testing/faultyadapter"
	"github.com/loopstone/loopstone/spec"
)

// callCases returns n cases: the case of number i calls the tool t<i> twice, and expects no loop.
func callCases(t *testing.T, n int) []cases.Case {
	t.Helper()
	var b strings.Builder
	b.WriteString("detector: history\ncases:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - {id: history-case-%02d, title: Case %d is no loop, clauses: [HI-1], source: silent, why: It is number %d.,\n", i, i, i)
		fmt.Fprintf(&b, "     steps: [{tool_call: {tool: t%d}, expect: {loop: false, count: 1}}, {tool_call: {tool: u%d}}]}\n", i, i)
	}
	suite, err := cases.Load(fstest.MapFS{"history/many.yaml": {Data: []byte(b.String())}})
	if err != nil {
		t.Fatal(err)
	}
	return suite
}

// runWithin judges a trapped port by n cases, with these limits.
func runWithin(
	t *testing.T, limits stdio.Options, trap string, n int, options conformance.Options,
) *conformance.Report {
	t.Helper()
	adapter, err := stdio.StartAdapter(t.Context(), own(t, trapEnv+"="+trap), limits)
	if err != nil {
		t.Fatal(err)
	}
	defer adapter.Close()
	report, err := conformance.Run(t.Context(), adapter, callCases(t, n), options)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// notPassed returns the cases that did not pass with their statuses: "17 failed, 20 broken".
func notPassed(report *conformance.Report) string {
	var list []string
	for _, r := range report.Results {
		if r.Status != conformance.Passed {
			list = append(list, strings.TrimPrefix(r.Case, "history-case-")+" "+string(r.Status))
		}
	}
	return strings.Join(list, ", ")
}

// attribution is what the report of a trapped port says.
type attribution struct {
	trap, why, want string
	outcome         conformance.Outcome
	restarts        int // at most
	words           string
}

// problem returns how a report differs from what is wanted, or "".
func (a attribution) problem(report *conformance.Report) string {
	got := notPassed(report)
	exact := got == a.want || a.outcome == conformance.AdapterFault && strings.Contains(got, a.want)
	if !exact || report.Outcome() != a.outcome || report.Restarts > a.restarts {
		return fmt.Sprintf("%s: got %q, %s, %d restarts; want %q, %s, at most %d", a.why,
			got, report.Outcome(), report.Restarts, a.want, a.outcome, a.restarts)
	}
	if words := wordsOf(report); !strings.Contains(words, a.words) {
		return fmt.Sprintf("the report says %q, want %q in it", words, a.words)
	}
	return ""
}

// waits returns the limits to try. A port that hangs makes the run wait as long as the limit, so a short one is tried
// first; on a busy machine it also expires for answers that are on their way.
func waits(trap string) []time.Duration {
	if strings.HasPrefix(trap, "hang") {
		return []time.Duration{2 * time.Second, patient.RequestTimeout, 2 * time.Minute}
	}
	return []time.Duration{patient.RequestTimeout}
}

func TestWhatGoesWrongIsAttributedToItsCase(t *testing.T) {
	t.Parallel()
	tests := []attribution{
		{"crash:t17", "the one that kills the process fails, and no other", "17 failed", conformance.NotConformant, 4, "; standard error: caught in a trap"},
		{"crash:u17", "where two events travel together, the one is named that kills", "17 failed", conformance.NotConformant, 4, `step 2 of 2: tool_call "u17"; standard error`},
		{"hang:u17", "and the one without an answer", "17 undecided", conformance.NotDecided, 4, `step 2 of 2: tool_call "u17"`},
		{"hang:t17", "the one without an answer is undecided, and no other", "17 undecided", conformance.NotDecided, 4, "no answer within "},
		{"leave:t17", "to leave in the middle is against the protocol", "17 broken", conformance.AdapterFault, 4, "exit status 0"},
		{"crash-once:t17:FILE", "a crash that does not happen again is nobody's fault, and leaves the run open", "", conformance.NotDecided, 1, ""},
		{"leave-once:t17:FILE", "nor is an exit with status 0, which something outside may have asked for", "", conformance.NotDecided, 1, ""},
		{"crash:12", "the twelfth request kills every process, so that no case is the cause", "", conformance.NotDecided, 12, ""},
		{"lie-and-crash:t17", "a wrong verdict stays one where the process then dies, and is no other case's", "17 failed", conformance.NotConformant, 3, "the verdict differs"},
		{"crash-for-good:t17:FILE", "an adapter that does not start again is at fault", "broken", conformance.AdapterFault, 1, "could not be started again"},
	}
	for _, test := range tests {
		t.Run(test.trap, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "memory")
			trap := strings.Replace(test.trap, "FILE", file, 1)
			var problem string
			for _, limit := range waits(trap) {
				limits := patient
				limits.RequestTimeout = limit
				if problem = test.problem(runWithin(t, limits, trap, 40, conformance.Options{Jobs: 8})); problem == "" {
					return
				}
			}
			t.Error(problem)
		})
	}
}

// wordsOf returns all that a report says of cases that did not pass.
func wordsOf(report *conformance.Report) string {
	var words []string
	for _, r := range report.Results {
		if r.Status == conformance.Passed {
			continue
		}
		words = append(words, r.Reason)
		if r.Failure != nil {
			words = append(words, fmt.Sprintf("%d of %d %s: %s", r.Failure.Step, r.Failure.Steps, r.Failure.Action, r.Failure.Problem))
		}
	}
	return strings.Join(words, "\n")
}

// TestAFaultInCompanyIsNotForgotten shows an adapter that breaks the protocol only where sessions are open side by side.
func TestAFaultInCompanyIsNotForgotten(t *testing.T) {
	t.Parallel()
	report := runWithin(t, patient, "babble-in-company:*", 6, conformance.Options{})
	if report.Outcome() != conformance.AdapterFault || report.Count(conformance.Broken) < 1 {
		t.Errorf("got %s: %s", report.Outcome(), notPassed(report))
	}
	if words := wordsOf(report); !strings.Contains(words, "were under way, and not when each was run alone") {
		t.Errorf("got %q", words)
	}
}

// TestRestartsAreBounded: each death that a case is blamed for takes a fresh process for that case alone and, where no
// other case was under way with it, one more for the rest. How many are under way, the machine decides.
func TestRestartsAreBounded(t *testing.T) {
	t.Parallel()
	const deaths = 3
	for _, jobs := range []int{1, 8} {
		report := runWithin(t, patient, "crash:*", 40, conformance.Options{MaxRestarts: deaths, Jobs: jobs})
		if report.Count(conformance.Failed) != deaths || report.Count(conformance.Undecided) != 40-deaths ||
			report.Restarts < deaths || report.Restarts > 3*deaths {
			t.Errorf("%d jobs: got %d restarts, %s: %s", jobs, report.Restarts, notPassed(report), wordsOf(report))
		}
		for _, r := range report.Results {
			if r.Status == conformance.Undecided &&
				r.Reason != "not run: cases of history in the reading code brought the port down 3 times" {
				t.Errorf("%d jobs: %s: %s", jobs, r.Case, r.Reason)
			}
		}
		if report.Outcome() != conformance.NotConformant {
			t.Errorf("%d jobs: got %s", jobs, report.Outcome())
		}
	}
}

// TestFewWaitsAndBreachesAreEnough: after two answers that did not come, none is waited for as long again, and after three
// cases the run ends. So do the cases of a detector where three broke the protocol.
func TestFewWaitsAndBreachesAreEnough(t *testing.T) {
	t.Parallel()
	limits := patient
	limits.RequestTimeout = 3 * time.Second
	for _, test := range []struct{ trap, first, rest, hint string }{
		{"hang:*", "no answer within 3s", "not run: the port gave no answer in time 3 times", "(1/20 of the time limit, since earlier answers did not come)"},
		{"leave:*", "exit status 0", "not run: the adapter broke the protocol in 3 cases of history in the reading code", ""},
	} {
		report := runWithin(t, limits, test.trap, 30, conformance.Options{Jobs: 4})
		blamed := 0
		for _, r := range report.Results {
			switch {
			case !r.IsNotRun():
				blamed++
			case r.Reason != test.rest:
				t.Errorf("%s: %s: %s", test.trap, r.Case, r.Reason)
			}
		}
		words := wordsOf(report)
		if blamed != 3 || report.Restarts > 10 || !strings.Contains(words, test.first) || !strings.Contains(words, test.hint) {
			t.Errorf("%s: %d cases are blamed, %d restarts: %s", test.trap, blamed, report.Restarts, words)
		}
	}
}

// TestHangsCostThreeLimits: all that a run waits in vain is less than three times the limit of an answer, whatever the
// machine does meanwhile. What is counted is how long each process was given, not a clock.
func TestHangsCostThreeLimits(t *testing.T) {
	t.Parallel()
	limits := patient
	limits.RequestTimeout = 2 * time.Second
	for _, trap := range []string{"hang:*", "hang:12"} {
		adapter, err := stdio.StartAdapter(t.Context(), own(t, trapEnv+"="+trap), limits)
		if err != nil {
			t.Fatal(err)
		}
		defer adapter.Close()
		port := &waited{Adapter: adapter}
		report, err := conformance.Run(t.Context(), port, callCases(t, 30), conformance.Options{Jobs: 4})
		if err != nil {
			t.Fatal(err)
		}
		port.count(t.Context())
		if port.waits < 2 || port.all >= 3*limits.RequestTimeout {
			t.Errorf("%s: it waited %d times, %s in all: %s", trap, port.waits, port.all, wordsOf(report))
		}
	}
}

// waited is an adapter that counts how long its processes were waited for in vain.
type waited struct {
	*stdio.Adapter

	waits int
	all   time.Duration
}

// Restart counts the process that is to be started anew.
func (w *waited) Restart(ctx context.Context) error {
	w.count(ctx)
	return w.Adapter.Restart(ctx)
}

func (w *waited) count(ctx context.Context) {
	_, err := w.Call(ctx, "loopstone.ping", "", spec.ObjectValue())
	gone, ok := errors.AsType[*stdio.ProcessError](err)
	if !ok || gone.Reason != stdio.TimedOut {
		return
	}
	_, limit, _ := strings.Cut(gone.Problem, "no answer within ")
	limit, _, _ = strings.Cut(limit, " ")
	if one, err := time.ParseDuration(limit); err == nil {
		w.waits, w.all = w.waits+1, w.all+one
	}
}

func TestARunThatIsEndedIsNobodysFault(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	adapter, err := stdio.StartAdapter(ctx, own(t, trapEnv+"=hang:t1"), patient)
	if err != nil {
		t.Fatal(err)
	}
	defer adapter.Close()
	time.AfterFunc(100*time.Millisecond, func() { cancel(errors.New("the user had enough")) })
	report, err := conformance.Run(ctx, adapter, callCases(t, 30), conformance.Options{Jobs: 4})
	if err != nil {
		t.Fatal(err)
	}
	if report.Outcome() != conformance.NotDecided || !strings.Contains(wordsOf(report), "not run: the run was ended: the user had enough") {
		t.Errorf("got %s: %s", report.Outcome(), wordsOf(report))
	}
}

// wrongSuites are suites with one case that is wrong among others that are right. Each is judged with an adapter that
// does all as it should.
var wrongSuites = []struct {
	name, why, words string
	suite            func(*testing.T) []cases.Case
}{
	{
		"an expectation that is wrong", "the reference fails the case as well: it proves nothing",
		"the reference fails it too, by step 1: count: want 2, got 1",
		func(t *testing.T) []cases.Case {
			return loaded(t, "history", `{tool_call: {tool: t}, expect: {loop: false, count: 2}}`)
		},
	},
	{
		"a refusal that the clauses do not know", "the reference accepts what the case wants refused",
		"the reference fails it too, by step 1: refusal: want invalid_event tool, got nothing",
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
		"a call without a result", "comparing with nothing panics, and no port answers for that",
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
			oracle := conformance.Options{Oracle: historyPort()}
			exchanges, report, err := judgeOwn(t, faultyadapter.Env+"=healthy", test.suite(t), patient, oracle)
			if err != nil {
				t.Fatal(err)
			}
			report.Results = append(exchanges, report.Results...)
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

// TestACaseOfManyEventsFitsIntoItsAnswers: no answer to a request of the runner's own making may become a line that is
// longer than the runner reads.
func TestACaseOfManyEventsFitsIntoItsAnswers(t *testing.T) {
	t.Parallel()
	const text = `
detector: history
cases:
  - id: history-often
    title: Calls that never end
    clauses: [HI-12]
    source: silent
    why: An agent may run for days.
    steps: [{times: 60000, tool_call: {tool: t}}]
`
	suite, err := cases.Parse("history/often.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	adapter, err := stdio.StartAdapter(t.Context(), own(t, faultyadapter.Env+"=healthy"), stdio.Options{RequestTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer adapter.Close()
	report, err := conformance.Run(t.Context(), adapter, suite, conformance.Options{})
	if err != nil || report.Outcome() != conformance.Conformant {
		t.Errorf("%v: %s: %+v", err, report.Outcome(), report.Results)
	}
}
