package conformance

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// fake is a port of this process that answers events by a function.
type fake struct {
	spec.Port
	observe func(events []spec.Value) ([]spec.Value, error)
	offers  []spec.Offer
	mute    error // comes of asking what it is
}

// Describe implements [spec.Port].
func (p *fake) Describe(context.Context) (spec.Description, error) {
	return spec.Description{Detectors: p.offers}, p.mute
}

// Open implements [spec.Port].
func (p *fake) Open(context.Context, spec.DetectorID, spec.Reading, spec.Value) (spec.Session, error) {
	return &fakeSession{port: p}, nil
}

type fakeSession struct {
	spec.Session
	port *fake
}

// Observe implements [spec.Session]. It does not look at its context, as detectors in Go do not.
func (s *fakeSession) Observe(_ context.Context, events []spec.Value) ([]spec.Value, error) {
	return s.port.observe(events)
}

// Close implements [spec.Session].
func (*fakeSession) Close(context.Context) error { return nil }

// restartable is the same, and can be started anew.
type restartable struct{ fake }

// Restart implements [stdio.Restarter].
func (*restartable) Restart(context.Context) error { return nil }

// historyInCode is what a port offers that can be asked the cases of these tests.
var historyInCode = []spec.Offer{{Detector: spec.History, Readings: []spec.Reading{spec.Code}}}

// saying returns the answer that is always this.
func saying(verdict string, err error) func([]spec.Value) ([]spec.Value, error) {
	return func([]spec.Value) ([]spec.Value, error) {
		if verdict == "" {
			return nil, err
		}
		return []spec.Value{spec.MustParse(verdict)}, err
	}
}

// TestAttempt shows what becomes of a case whose port answers so, and whether the port is started anew for the next.
func TestAttempt(t *testing.T) {
	t.Parallel()
	panics := func([]spec.Value) ([]spec.Value, error) { panic("ouch") }
	strange := &stdio.CodeError{Method: "session/observe", Code: 7, Message: "no"}
	ours := &SuiteError{Problem: "our fault"}
	tests := []struct {
		reason string
		answer func([]spec.Value) ([]spec.Value, error)
		want   string // status, reason, problem; or "again: " and the error
		anew   bool   // where the port can be
	}{
		{"a right verdict passes", saying(`{"loop":false}`, nil), "passed", false},
		{"a wrong verdict fails", saying(`{"loop":true}`, nil), "failed: the verdict differs", false},
		{"a refusal fails", saying("", spec.BadEvent("tool", "no")), "failed: the port refused what it must accept", false},
		{"a panic fails the case, not the suite", panics, "failed: the port panicked: ouch", false},
		{"an error with a code of its own breaks the adapter", saying("", strange), "broken: " + strange.Error(), false},
		{"an error of ours is ours", saying("", ours), "faulty: our fault", false},
		{"a process that died has to tell more alone", saying("", died), "again: " + died.Error(), true},
		{"an error of no kind decides nothing", saying("", errors.New("odd")), "undecided: odd", true},
	}
	for _, tt := range tests {
		for _, canRestart := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%t", tt.reason, canRestart), func(t *testing.T) {
				t.Parallel()
				r := &runner{port: &fake{observe: tt.answer}}
				if canRestart {
					r.port = &restartable{fake{observe: tt.answer}}
				}
				want, anew := tt.want, tt.anew
				if strings.HasPrefix(want, "undecided") {
					anew = canRestart
					if canRestart {
						want = "again: odd"
					}
				}
				if got := attempt(t, r); got != want {
					t.Errorf("got %q, want %q", got, want)
				}
				if r.down != anew || r.stops() != anew {
					t.Errorf("to be started anew: %t, others held back: %t; want %t", r.down, r.stops(), anew)
				}
			})
		}
	}
}

// attempt carries out one case, and returns what is said of it.
func attempt(t *testing.T, r *runner) string {
	t.Helper()
	c := tools(t, 1)[0]
	task := &task{c: c, halves: c.Halves(), reading: spec.Code}
	done := 0
	r.asked, r.options.Done = 1, func(Result) { done++ }
	if gone := r.attempt(t.Context(), task); gone != nil {
		if gone.task != task || gone.where.Step != 1 || task.result.Status != "" || done != 0 {
			t.Errorf("interrupted: %#v, %+v, %d done", gone, task.result, done)
		}
		return "again: " + gone.cause.Error()
	}
	if done != 1 {
		t.Errorf("%d done", done)
	}
	text := string(task.result.Status)
	if task.result.Reason != "" {
		text += ": " + task.result.Reason
	}
	if f := task.result.Failure; f != nil {
		if f.Step != 1 {
			t.Errorf("failed at step %d", f.Step)
		}
		text += ": " + f.Problem
	}
	return text
}

// TestOracle shows when a failure is no longer attributed to the port, and to whom then.
func TestOracle(t *testing.T) {
	t.Parallel()
	elsewhere := []spec.Offer{{Detector: spec.Crow, Readings: []spec.Reading{spec.Code}}}
	wrong := "the case is wrong, or the reference is: the reference fails it too, by step 1: "
	tests := []struct {
		reason string
		oracle spec.Port
		want   string
	}{
		{"nobody is asked", nil, "failed"},
		{"the oracle passes", &fake{observe: saying(`{"loop":false}`, nil), offers: historyInCode}, "failed"},
		{"the oracle does not know the detector", &fake{observe: saying(`{"loop":true}`, nil), offers: elsewhere}, "failed"},
		{
			"the oracle fails too", &fake{observe: saying(`{"loop":true}`, nil), offers: historyInCode},
			"faulty: " + wrong + "loop: want false, got true",
		},
		{
			"the oracle says nothing", &fake{observe: saying(`{}`, nil), offers: historyInCode},
			"faulty: " + wrong + "loop: want false, got nothing",
		},
		{
			"the oracle refuses", &fake{observe: saying("", spec.BadEvent("tool", "no")), offers: historyInCode},
			"faulty: " + wrong + "refusal: want nothing, got invalid_event tool: no",
		},
		{
			"the oracle has no answer", &fake{observe: saying("", errors.New("odd")), offers: historyInCode},
			"faulty: the oracle has no answer: odd",
		},
		{
			"the run was ended", &fake{observe: saying("", &stdio.ProcessError{Reason: stdio.Cancelled, Problem: "enough"}), offers: historyInCode},
			" was cancelled: enough",
		},
		{"the oracle cannot be asked", &fake{mute: errors.New("mute")}, "request the description of the oracle: "},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			failure := &Failure{Problem: "it differs"}
			passed := &task{c: tools(t, 2)[1], reading: spec.Code, result: Result{Status: Passed}}
			failed := &task{c: tools(t, 1)[0], reading: spec.Code, result: Result{Status: Failed, Failure: failure}}
			r := &runner{tasks: []*task{passed, failed}, options: Options{Oracle: tt.oracle}}
			got := ""
			if err := r.askOracle(t.Context()); err != nil {
				got = err.Error()
			} else {
				got = strings.TrimSuffix(fmt.Sprintf("%s: %s", failed.result.Status, failed.result.Reason), ": ")
			}
			if !strings.HasPrefix(got, tt.want) || tt.want == "failed" && got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if passed.result.Status != Passed {
				t.Errorf("a case that passed is %s", passed.result.Status)
			}
		})
	}
}

// longTask returns a task that the port failed: a case of so many events.
func longTask(t *testing.T, events int) *task {
	t.Helper()
	c := tools(t, 1)[0]
	c.Steps = slices.Clone(c.Steps)
	c.Steps[0].Times = events
	failure := &Failure{Problem: "it differs"}
	return &task{c: c, reading: spec.Code, result: Result{Status: Failed, Failure: failure}}
}

// counting is an oracle whose verdicts agree with the cases; it counts its requests and events.
type counting struct {
	fake
	requests, events int
}

func newCounting(asked func()) *counting {
	p := &counting{fake: fake{offers: historyInCode}}
	p.observe = func(events []spec.Value) ([]spec.Value, error) {
		p.requests++
		p.events += len(events)
		asked()
		return slices.Repeat([]spec.Value{spec.MustParse(`{"loop":false}`)}, len(events)), nil
	}
	return p
}

// TestARunThatEndsEndsTheOracle: a long case is given up and undecided; what is short is still told.
func TestARunThatEndsEndsTheOracle(t *testing.T) {
	t.Parallel()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	oracle := newCounting(end)
	under, next, short := longTask(t, 20_000), longTask(t, 20_000), longTask(t, 5)
	r := &runner{tasks: []*task{under, short, next}, options: Options{Oracle: oracle}}
	if err := r.askOracle(ctx); err != nil {
		t.Fatal(err)
	}
	if oracle.requests != 2 || oracle.events != mostEvents+5 {
		t.Errorf("%d requests, %d events; want 1 for the case under way and 1 for the short one", oracle.requests, oracle.events)
	}
	for _, long := range []*task{under, next} {
		if long.result.Status != Undecided || !strings.HasPrefix(long.result.Reason, "the run was ended before the reference was run") {
			t.Errorf("a long case is %s: %s", long.result.Status, long.result.Reason)
		}
	}
	if short.result.Status != Failed {
		t.Errorf("a short case is %s: %s", short.result.Status, short.result.Reason)
	}
}

// TestALongCaseKeepsNoLongVerdict: of 10,000 verdicts with long texts, a case holds those of one request. It is not
// parallel: it looks at the heap of the whole process.
func TestALongCaseKeepsNoLongVerdict(t *testing.T) {
	const long, events = 100_000, 2_500
	var most uint64
	port := newCounting(func() {
		var memory runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&memory)
		most = max(most, memory.HeapAlloc)
	})
	short := port.observe
	port.observe = func(events []spec.Value) ([]spec.Value, error) {
		verdicts, err := short(events)
		for i, v := range verdicts {
			verdicts[i] = v.With("note", spec.StringValue(strings.Repeat("m", long)))
		}
		return verdicts, err
	}
	task := longTask(t, events)
	task.halves = task.c.Halves()
	j, err := task.carryOut(t.Context(), port, spec.Description{Detectors: historyInCode})
	trace := j.trace()
	if err != nil || j.events != events || len(trace) != events {
		t.Fatalf("%v after %d events; want no error after %d", err, j.events, events)
	}
	if atOnce := uint64(mostEvents * long); most > 3*atOnce {
		t.Errorf("%d MB in memory; the verdicts of one request take %d MB", most>>20, atOnce>>20)
	}
	if line := trace[0]; !strings.Contains(line, `{"loop":false,"note":"mmm`) || len(line) > 300 {
		t.Errorf("the line of a long verdict is %.400s", line)
	}
}

// TestOracleIsNotAskedForNothing shows that an oracle that cannot be asked spoils no run that needs none.
func TestOracleIsNotAskedForNothing(t *testing.T) {
	t.Parallel()
	r := &runner{
		tasks:   []*task{{c: tools(t, 1)[0], reading: spec.Code, result: Result{Status: Passed}}},
		options: Options{Oracle: &fake{mute: errors.New("mute")}},
	}
	if err := r.askOracle(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestAttributeToNobody lists the errors that are nobody's fault, wrapped or not, and some that are somebody's.
func TestAttributeToNobody(t *testing.T) {
	for _, err := range []error{
		context.Canceled, context.DeadlineExceeded, fmt.Errorf("in vain: %w", context.DeadlineExceeded),
		&stdio.ProcessError{Reason: stdio.TimedOut}, fmt.Errorf("x: %w", &stdio.ProcessError{Reason: stdio.Cancelled}),
		&stdio.ProcessError{Reason: stdio.NoRoom},
	} {
		if !isNobodysFault(err) {
			t.Errorf("%v is somebody's fault", err)
		}
	}
	for _, err := range []error{
		errors.New("no"), &stdio.ProcessError{Reason: stdio.Exited}, &stdio.ProcessError{Reason: stdio.Closed}, &stdio.ProcessError{},
	} {
		if isNobodysFault(err) {
			t.Errorf("%v is nobody's fault", err)
		}
	}
}

// TestWhatEvidenceBreaks: where nothing but the evidence is wrong, the clause about the evidence of sessions comes first,
// but not for the value of a function, which has none.
func TestWhatEvidenceBreaks(t *testing.T) {
	t.Parallel()
	extra := Result{
		Clauses: []string{"CR-54"},
		Failure: &Failure{Step: 3, Differences: []Difference{{Path: "evidence", Got: "[]"}}},
	}
	if got := clauseOfEvidence(extra); got != evidenceClause {
		t.Errorf("in a session: %q, want %s", got, evidenceClause)
	}
	extra.Failure.Step = 0
	if got := clauseOfEvidence(extra); got != "" {
		t.Errorf("in the value of a function: %s, want the clause of the case", got)
	}
}
