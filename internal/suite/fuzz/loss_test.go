package fuzz_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/tracegen"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// fragile is an honest port whose process is lost when it is told something, or once in its life.
type fragile struct {
	spec.Port
	loss    stdio.ProcessError
	deadly  func(events []spec.Value, told int) bool
	renamed bool // it does not start again
	aging   bool // each process counts for itself what it is told

	mu   sync.Mutex // guards what follows
	told int        // requests with events, in all lives unless it is aging
	dead bool
}

// lost returns why the port can no longer be asked; nil where it can.
func (f *fragile) lost(events []spec.Value) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(events) > 0 && !f.dead {
		f.told++
		f.dead = f.deadly(events, f.told)
	}
	if !f.dead {
		return nil
	}
	loss := f.loss
	return &loss
}

func (f *fragile) Restart(context.Context) error {
	if f.renamed {
		return &stdio.ProcessError{Reason: stdio.BrokeProtocol, Clause: "PR-11", Problem: "it is another port"}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dead = false
	if f.aging {
		f.told = 0
	}
	return nil
}

func (f *fragile) Open(
	ctx context.Context, d spec.DetectorID, r spec.Reading, config spec.Value,
) (spec.Session, error) {
	if err := f.lost(nil); err != nil {
		return nil, err
	}
	s, err := f.Port.Open(ctx, d, r, config)
	if err != nil {
		return nil, err
	}
	return &fragileSession{s, f}, nil
}

func (f *fragile) Call(ctx context.Context, function string, r spec.Reading, args spec.Value) (spec.Value, error) {
	if err := f.lost(nil); err != nil {
		return spec.Value{}, err
	}
	return f.Port.Call(ctx, function, r, args)
}

type fragileSession struct {
	spec.Session
	port *fragile
}

func (s *fragileSession) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	if err := s.port.lost(events); err != nil {
		return nil, err
	}
	return s.Session.Observe(ctx, events)
}

// anyNumber of unexplained deaths: how many there are is not what the test is about.
const anyNumber = -1

// once is true of one request in the middle of the first scan.
func once(_ []spec.Value, told int) bool { return told == 60 }

// atTests is true of the traces that have a test run.
func atTests(events []spec.Value, _ int) bool {
	return slices.ContainsFunc(events, func(e spec.Value) bool { return spec.TypeOf(e) == spec.TestRun })
}

// TestWhatIsLostIsNoOtherVerdict: a process that is lost on generated traces says nothing of verdicts. No law is broken
// by it, no port is called undeterministic, and no clause is blamed but that of answering, or of the protocol.
func TestWhatIsLostIsNoOtherVerdict(t *testing.T) {
	t.Parallel()
	died := stdio.ProcessError{Reason: stdio.Exited, Exit: &stdio.Exit{Code: 3}, Problem: "exit status 3"}
	left := stdio.ProcessError{Reason: stdio.Exited, Exit: &stdio.Exit{}, Clause: "PR-1", Problem: "exit status 0"}
	late := stdio.ProcessError{Reason: stdio.TimedOut, Problem: "no answer within 1s"}
	garbled := stdio.ProcessError{Reason: stdio.BrokeProtocol, Clause: "PR-7", Problem: "a line that is not JSON"}
	tests := []struct {
		name        string
		loss        stdio.ProcessError
		deadly      func([]spec.Value, int) bool
		renamed     bool
		want        conformance.Outcome
		clause      string
		unexplained int
	}{
		{"late once", late, once, false, conformance.NotDecided, "", 1},
		{"late at tests", late, atTests, false, conformance.NotDecided, "PR-14", 0},
		{"dead once", died, once, false, conformance.NotDecided, "", 1},
		{"dead at tests", died, atTests, false, conformance.NotConformant, "PR-14", 0},
		{"left once", left, once, false, conformance.NotDecided, "", 1},
		{"left at tests", left, atTests, false, conformance.AdapterFault, "PR-1", 0},
		{"garbled once", garbled, once, false, conformance.AdapterFault, "PR-7", 0},
		{"garbled at tests", garbled, atTests, false, conformance.AdapterFault, "PR-7", 0},
		{"another port after it died", died, once, true, conformance.AdapterFault, "", anyNumber},
	}
	checks := 40
	if testing.Short() { // a process that is lost is started again: that, for each trace, is what the test costs
		checks = 10
	}
	for _, test := range tests {
		for _, thorough := range []bool{false, true} { // each law alone, or all laws side by side
			name := test.name
			if thorough {
				name += ", thorough"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				port := &fragile{
					Port: spec.NewHost(spec.Description{}, reference.Implementation(spec.History)),
					loss: test.loss, deadly: test.deadly, renamed: test.renamed,
				}
				budget := fuzz.Budget{Checks: checks, Seeds: []int64{1}, Thorough: thorough, Falls: &fuzz.Falls{}}
				selected, err := cases.Selection{Detectors: []string{"history"}}.Select(fuzz.Cases())
				if err != nil {
					t.Fatal(err)
				}
				results, err := fuzz.Judge(t.Context(), port, reference.Port(), tracegen.For, selected, budget)
				if err != nil {
					t.Fatal(err)
				}
				report := conformance.Report{Results: results, Unexplained: budget.Falls.Unexplained}
				if got := report.Outcome(); got != test.want {
					t.Errorf("got %s, want %s", got, test.want)
				}
				for _, r := range results {
					checkLoss(t, r, test.clause)
				}
				got := *budget.Falls
				if test.unexplained != anyNumber && got.Unexplained != test.unexplained || got.Restarts == 0 && !test.renamed {
					t.Errorf("got %+v, want %d unexplained and the restarts", got, test.unexplained)
				}
			})
		}
	}
}

// checkLoss checks that a result that is no pass is about the loss.
func checkLoss(t *testing.T, r conformance.Result, clause string) {
	t.Helper()
	if r.Status == conformance.Passed || strings.HasPrefix(r.Reason, "not checked: on other") {
		return
	}
	text := r.Reason
	if r.Failure != nil {
		text += r.Failure.Problem
	}
	if strings.Contains(text, "deterministic") || clause != "" && r.Clauses[0] != clause {
		t.Errorf("%s is %s by %s: %s; want %s first", r.Case, r.Status, r.Clauses, text, clause)
	}
}

// sought is what a test needs of a campaign before it can judge the campaign.
type sought func([]fuzz.Found, fuzz.Progress) bool

func anyLoss(_ []fuzz.Found, p fuzz.Progress) bool        { return p.Lost > 0 }
func anyExecution(_ []fuzz.Found, p fuzz.Progress) bool   { return p.Executions() > 0 }
func anyVerdict(_ []fuzz.Found, p fuzz.Progress) bool     { return p.Verdicts > 0 }
func anyFinding(found []fuzz.Found, _ fuzz.Progress) bool { return len(found) > 0 }

// searched returns what a campaign on `history` finds in a third of a second. A busy machine gets more time, until the
// campaign has what the test needs.
func searched(t *testing.T, pair fuzz.Pair, against bool, has sought) (found []fuzz.Found, progress fuzz.Progress) {
	t.Helper()
	selected, err := cases.Selection{Detectors: []string{"history"}}.Select(fuzz.Cases())
	if err != nil {
		t.Fatal(err)
	}
	for within := 300 * time.Millisecond; within < time.Minute && !has(found, progress); within *= 4 {
		found, progress, err = fuzz.Campaign{
			Pairs: []fuzz.Pair{pair}, Laws: selected, Source: tracegen.For, Reference: reference.Port(),
			Against: against, Seed: 1, For: within,
		}.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
	}
	return found, progress
}

// TestASearchAccusesNoTraceOfADeathBesideIt: a port that dies now and then, whatever it is asked, is lost, and no trace
// shows why.
func TestASearchAccusesNoTraceOfADeathBesideIt(t *testing.T) {
	t.Parallel()
	history := func() spec.Port { return spec.NewHost(spec.Description{}, reference.Implementation(spec.History)) }
	dying := &fragile{
		Port: history(), loss: stdio.ProcessError{Reason: stdio.Exited, Exit: &stdio.Exit{Code: 3}},
		deadly: func(_ []spec.Value, told int) bool { return told == 30 }, aging: true,
	}
	for name, pair := range map[string]fuzz.Pair{
		"the port": {Port: dying, Oracle: reference.Port()}, "the old port": {Port: history(), Oracle: dying},
	} {
		found, progress := searched(t, pair, pair.Oracle == spec.Port(dying), anyLoss)
		if len(found) > 0 || progress.Lost == 0 {
			t.Errorf("%s: got %d findings and %d losses, want losses alone: %+v", name, len(found), progress.Lost, found)
		}
	}
}

// TestAnOldPortThatCannotBeAskedIsNoRepair: an old port that breaks the protocol has given nothing to compare.
func TestAnOldPortThatCannotBeAskedIsNoRepair(t *testing.T) {
	t.Parallel()
	old := &fragile{
		Port: spec.NewHost(spec.Description{}, reference.Implementation(spec.History)), deadly: atTests,
		loss: stdio.ProcessError{Reason: stdio.BrokeProtocol, Clause: "PR-7", Problem: "a line that is not JSON"},
	}
	found, _ := searched(t, fuzz.Pair{Port: reference.Port(), Oracle: old}, true, anyFinding)
	if len(found) == 0 {
		t.Fatal("the breach was not found")
	}
	for _, f := range found {
		if f.Change != "" || f.Finding.Status() != conformance.Broken {
			t.Errorf("got %q, %s; want no change, and an adapter at fault", f.Change, f.Finding.Status())
		}
	}
}

// TestACounterexampleWithoutStepsIsACase: the law adds events of its own, to which the port gives no answer.
func TestACounterexampleWithoutStepsIsACase(t *testing.T) {
	t.Parallel()
	impl := reference.Implementation(spec.History)
	mute := &fragile{
		Port: spec.NewHost(spec.Description{}, impl),
		loss: stdio.ProcessError{Reason: stdio.TimedOut}, deadly: func([]spec.Value, int) bool { return true },
	}
	h := fuzz.NewFuzzer(mute, reference.Port(), tracegen.For, impl.Offer, spec.Code)
	forgetting := slices.IndexFunc(h.Checks, func(c fuzz.Check) bool { return c.ID == "forgetting" })
	trace := laws.Trace{Detector: spec.History, Reading: spec.Code}
	made, err := h.Case(t.Context(), reference.Port(), h.Checks[forgetting], fuzz.Counterexample{
		Subject: fuzz.Subject{Trace: trace}, Finding: fuzz.Finding{Check: "forgetting"},
	})
	if err != nil || len(made.Steps) == 0 {
		t.Errorf("got %v and a case of %d steps, want the steps of the law", err, len(made.Steps))
	}
}

// TestASearchCountsVerdicts: a port that has sessions opened, and is lost at each event, gives none.
func TestASearchCountsVerdicts(t *testing.T) {
	t.Parallel()
	mute := &fragile{
		Port: spec.NewHost(spec.Description{}, reference.Implementation(spec.History)),
		loss: stdio.ProcessError{Reason: stdio.TimedOut}, deadly: func([]spec.Value, int) bool { return true },
	}
	if _, progress := searched(t, fuzz.Pair{Port: mute, Oracle: reference.Port()}, false, anyExecution); progress.Verdicts != 0 {
		t.Errorf("got %d verdicts of a port that gives none", progress.Verdicts)
	}
	sound := spec.NewHost(spec.Description{}, reference.Implementation(spec.History))
	if _, progress := searched(t, fuzz.Pair{Port: sound, Oracle: reference.Port()}, false, anyVerdict); progress.Verdicts == 0 {
		t.Error("got no verdict of a port that gives all")
	}
}
