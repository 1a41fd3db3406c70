package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// judge carries out one case on one port in one reading.
type judge struct {
	port    spec.Port
	row     spec.Definition // of the detector
	reading spec.Reading
	usual   spec.Reading // the first that the port has for the detector
	halves  []cases.Half
	c       cases.Half // the one that is under way

	sessions  map[string]*session
	snapshots map[string]spec.Value
	others    map[int]instance
	past      []moment // what was done so far
	events    int      // how many events the port observed
	saidLoop  bool     // a verdict said loop
	refused   bool     // a step was refused, as it must be

	byEvent    bool       // one event a request, where events need not travel together
	event      spec.Value // by event: the one that is under way
	step, last int        // the steps whose request is under way, from 1; 0 outside the steps
	action     string     // outside the steps: what is under way
}

// at notes which steps are carried out next, by their indices from i on: n of them that travel in one request.
func (j *judge) at(i, n int) { j.step, j.last, j.event = i+1, i+n, spec.Value{} }

// where returns which step is under way, as a failure without a problem.
func (j *judge) where() Failure {
	f := Failure{Step: j.step, Steps: len(j.c.Steps), Action: j.action, Trace: j.trace(), Contrast: j.c.Change}
	if j.step > 0 {
		f.Action = cut(describe(j.c.Steps[j.step-1]))
	}
	if !j.event.IsAbsent() {
		f.Action = laws.DescribeEvent(j.event)
	}
	if j.last > j.step {
		f.Action += fmt.Sprintf(" (the steps up to %d travel with it)", j.last)
	}
	return f
}

// trace returns a line for each event of the past, and for each step without events.
func (j *judge) trace() []string {
	var lines []string
	for _, m := range j.past {
		lines = append(lines, m.lines(j.c.Sessions.Get(m.step.Session))...)
	}
	return lines
}

// moment is something that was done: events of a step with their verdicts, or a step without events. Only a case that
// fails puts it into words, which costs more than to carry it out.
type moment struct {
	step             *cases.Step
	events, verdicts []spec.Value // as many of the one as of the other; the verdicts as they are kept
}

// kept returns what is kept of a verdict for the trace: since a case may have 10,000 of them, only the beginning, as a
// string, of one that is long. Nor is one kept whole that is no object.
func kept(verdict spec.Value) spec.Value {
	if verdict.Kind() != spec.Object || isLong(verdict) {
		return spec.StringValue(cut(verdict.String()))
	}
	return verdict
}

// isLong reports whether a verdict has more evidence than it may have, or a longer text or number than detectors give.
func isLong(verdict spec.Value) bool {
	return len(verdict.Get("evidence").Items()) > spec.MaxEvidence ||
		slices.ContainsFunc(verdict.Members(), func(m spec.Member) bool {
			number, _ := m.Value.Spelling()
			return max(len(m.Value.Text()), len(number)) > maxKept
		})
}

// failed is the error by which a judge reports that the port differs from the case.
type failed struct {
	Failure
	clause string // that is broken, whatever the case is about; empty where the case says
}

// Error returns the problem in one line.
func (f *failed) Error() string { return f.Problem }

// run carries out the case and then its contrast, if it has one. It returns nil if the port does as both say, a *failed
// if it does not, and any other error if the port could not be asked.
func (j *judge) run(ctx context.Context) error {
	for _, half := range j.halves {
		j.c, j.past = half, nil
		if err := j.runOne(ctx); err != nil {
			return err
		}
	}
	return nil
}

// runOne carries out the half that is under way.
func (j *judge) runOne(ctx context.Context) error {
	j.sessions = map[string]*session{}
	j.snapshots = map[string]spec.Value{}
	j.others = map[int]instance{}
	j.c.Config = ownSwarm(j.c.Case)
	var err error
	switch {
	case j.c.Refuse != nil:
		err = j.runRefuse(ctx)
	case j.c.Call != nil:
		err = j.runCall(ctx)
	default:
		err = j.runSteps(ctx)
	}
	if err == nil { // otherwise it stays where it was
		j.step, j.last, j.action = 0, 0, "session/close"
	}
	return errors.Join(err, j.closeAll(ctx))
}

// unexpected turns a refusal that the case does not expect into a failure; an error of another kind stays what it is.
func (j *judge) unexpected(step int, action string, err error) error {
	fault, refused := errors.AsType[*spec.Fault](err)
	if !refused {
		return err
	}
	refusal := []Difference{{Path: "refusal", Got: fault.Error()}}
	return j.fail(step, action, "the port refused what it must accept", refusal)
}

// fail returns the failure of a step, numbered from 1, or from 0 outside the steps.
func (j *judge) fail(step int, action, problem string, differences []Difference) *failed {
	return &failed{Failure: Failure{
		Step: step, Steps: len(j.c.Steps), Action: action, Problem: problem,
		Differences: differences, Trace: j.trace(), Refused: j.refused, Contrast: j.c.Change,
	}.keep()}
}

func (j *judge) runRefuse(ctx context.Context) error {
	j.action = fmt.Sprintf("session/open with the configuration %s", j.c.Config)
	opened, err := j.port.Open(ctx, j.c.Detector, j.reading, j.c.Config)
	if err == nil {
		j.sessions[cases.MainSession] = &session{Session: opened}
	}
	return j.checkRefused(0, j.action, *j.c.Refuse, err)
}

// checkRefused checks that a request was refused as the case expects.
func (j *judge) checkRefused(step int, action string, want cases.Fault, err error) error {
	if err == nil {
		refusal := &spec.Fault{Kind: want.Kind, Field: want.Field, Feature: want.Feature}
		missing := []Difference{{Path: "refusal", Want: refusal.Error()}}
		return j.fail(step, action, "the port accepted what it must refuse", missing)
	}
	fault, refused := errors.AsType[*spec.Fault](err)
	if !refused {
		return err
	}
	if differences := compareFault(want, fault); differences != nil {
		return j.fail(step, action, "the port refused with another error", differences)
	}
	j.refused = true
	return nil
}

func (j *judge) runCall(ctx context.Context) error {
	call := j.c.Call
	j.action = fmt.Sprintf("%s %s", call.Function, cut(call.Args.String()))
	got, err := j.port.Call(ctx, call.Function, j.namedReading(), call.Args)
	if call.Fault != nil {
		return j.checkRefused(0, j.action, *call.Fault, err)
	}
	var differences []Difference
	if err == nil {
		differences, err = j.compareResult(ctx, *call, got)
	}
	if err != nil {
		return j.unexpected(0, j.action, err)
	}
	if differences != nil {
		return j.fail(0, j.action, "the function returned another value", differences)
	}
	return nil
}

// namedReading returns the reading that a call names: none, in about every second case, where the port's first
// is meant and need not be named.
func (j *judge) namedReading() spec.Reading {
	if j.reading == j.usual && j.c.Place.Line%2 == 0 {
		return ""
	}
	return j.reading
}

// compareResult compares a function's value, with its value for other arguments where the case says so.
func (j *judge) compareResult(ctx context.Context, call cases.Call, got spec.Value) ([]Difference, error) {
	others, wantSame := call.Result.SameAs, true
	if others.IsAbsent() {
		others, wantSame = call.Result.NotSameAs, false
	}
	if others.IsAbsent() {
		return compareOne("", *call.Result, got), nil
	}
	other, err := j.port.Call(ctx, call.Function, j.namedReading(), others)
	if err != nil || other.Equal(got) == wantSame {
		return nil, err
	}
	want := fmt.Sprintf("the value for %s, which is %s", cut(others.String()), cut(other.String()))
	if !wantSame {
		want = "anything but " + want
	}
	return []Difference{{Want: want, Got: got.String()}}, nil
}

func (j *judge) runSteps(ctx context.Context) error {
	for i := 0; i < len(j.c.Steps); {
		n, err := j.runFrom(ctx, i)
		if err != nil {
			return err
		}
		i += n
	}
	return nil
}

// runFrom carries out the step of that index, together with those after it where one request serves them all, and
// returns how many that were.
func (j *judge) runFrom(ctx context.Context, i int) (int, error) {
	step := j.c.Steps[i]
	j.at(i, 1)
	s, err := j.sessionOf(ctx, step)
	if err != nil {
		return 0, j.unexpected(i+1, "session/open", err)
	}
	if step.Action != cases.Observe {
		return 1, j.runOther(ctx, i, s)
	}
	if step.Fault != nil {
		_, err := s.Observe(ctx, step.Events)
		return 1, j.checkRefused(i+1, describe(step), *step.Fault, err)
	}
	if j.byEvent && !step.Batch {
		return 1, j.observeByEvent(ctx, i, s)
	}
	n := j.together(i)
	j.at(i, n)
	return n, j.observe(ctx, i, n, s)
}

// together returns how many steps from index i on may travel in one request: plain events for the same session.
func (j *judge) together(i int) int {
	first := j.c.Steps[i]
	if first.Batch {
		return 1
	}
	n, events, padding := 1, first.Times*len(first.Events), first.Times*first.Pad
	for _, step := range j.c.Steps[i+1:] {
		events += step.Times * len(step.Events)
		padding += step.Times * step.Pad
		if step.Action != cases.Observe || step.Batch || step.Fault != nil || step.Session != first.Session ||
			events > mostEvents || padding > cases.MostPadding {
			break
		}
		n++
	}
	return n
}

// mostEvents bounds the events of a request: so the line with its answer does not become too long, and a port that
// takes longer for each event of a long session still answers in time on a busy machine. Only the events of a batch
// travel together however many they are.
const mostEvents = 250

// observe sends the events of n steps and checks every verdict. Several steps travel in one request. Where it is
// refused, nothing has changed, and the steps are sent one by one to find the one that the port refuses.
func (j *judge) observe(ctx context.Context, i, n int, s *session) error {
	if n == 1 {
		return j.observeOne(ctx, i, s)
	}
	var events []spec.Value
	for _, step := range j.c.Steps[i : i+n] {
		events = append(events, step.Observed()...)
	}
	verdicts, err := s.Observe(ctx, events)
	if is[*spec.Fault](err) {
		return j.observeOneByOne(ctx, i, n, s)
	}
	if err := j.count(i, len(events), len(verdicts), err); err != nil {
		return err
	}
	for k := range n {
		count := j.c.Steps[i+k].Times * len(j.c.Steps[i+k].Events)
		if err := j.checkVerdicts(i+k, 0, s, events[:count], verdicts[:count]); err != nil {
			return err
		}
		events, verdicts = events[count:], verdicts[count:]
	}
	return nil
}

// observeOne sends the events of one step in as few requests as may be. It checks the verdicts of each before it sends
// the next, so that it holds those of one request only: a port may write a megabyte into each.
func (j *judge) observeOne(ctx context.Context, i int, s *session) error {
	step := j.c.Steps[i]
	events, most := step.Observed(), mostEvents
	if step.Batch {
		most = max(len(events), 1)
	}
	for from := 0; from == 0 || from < len(events); from += most {
		if err := ctx.Err(); from > 0 && err != nil { // a port in this process need not look
			return fmt.Errorf("%s: %w", stdio.WhyEnded(ctx), err)
		}
		part := events[from:min(from+most, len(events))]
		verdicts, err := s.Observe(ctx, part)
		if err := j.count(i, len(part), len(verdicts), err); err != nil {
			return err
		}
		if err := j.checkVerdicts(i, from, s, part, verdicts); err != nil {
			return err
		}
	}
	return nil
}

// count counts the events of a request that the port answered with a verdict for each; else it says what is wrong.
func (j *judge) count(i, events, verdicts int, err error) error {
	if err != nil {
		return j.unexpected(i+1, describe(j.c.Steps[i]), err)
	}
	if verdicts != events { // over a pipe, the client has noticed before
		problem := fmt.Sprintf("the port gave %d verdicts for %d events", verdicts, events)
		return j.fail(i+1, describe(j.c.Steps[i]), problem, nil)
	}
	j.events += events
	return nil
}

// observeByEvent sends each event of a step in a request of its own. Only whether the port answers matters then, and
// the verdicts are noted in the trace.
func (j *judge) observeByEvent(ctx context.Context, i int, s *session) error {
	step := &j.c.Steps[i]
	for _, event := range step.Observed() {
		j.event = event
		events := []spec.Value{event}
		verdicts, err := s.Observe(ctx, events)
		if err != nil || len(verdicts) != 1 {
			return err
		}
		j.past = append(j.past, moment{step, events, []spec.Value{kept(verdicts[0])}})
	}
	j.event = spec.Value{}
	return nil
}

func (j *judge) observeOneByOne(ctx context.Context, i, n int, s *session) error {
	for k := range n {
		if err := j.observe(ctx, i+k, 1, s); err != nil {
			return err
		}
	}
	const problem = "the port refused several events in one request, and took them one by one"
	return j.fail(i+1, describe(j.c.Steps[i]), problem, nil)
}

// checkVerdicts compares the verdicts on the events of one step, of which so many came before, and notes them in the
// trace.
func (j *judge) checkVerdicts(i, before int, s *session, events, verdicts []spec.Value) error {
	step := &j.c.Steps[i]
	j.past = append(j.past, moment{step: step, verdicts: make([]spec.Value, 0, len(verdicts))})
	now := &j.past[len(j.past)-1]
	for k, verdict := range verdicts {
		event := events[k]
		j.saidLoop = j.saidLoop || verdict.Get("loop").IsTrue()
		if len(step.Expect) > 0 {
			expect := step.Expect[(before+k)%len(step.Events)%len(step.Expect)]
			if differences := compare(expect, verdict); differences != nil {
				return j.fail(i+1, laws.DescribeEvent(event), "the verdict differs", differences)
			}
		}
		s.seen.Add(event)
		if problem := laws.CheckEvidence(&s.seen, verdict); problem != "" {
			wrong := j.fail(i+1, laws.DescribeEvent(event), problem, nil)
			wrong.clause = evidenceClause
			return wrong
		}
		if differences := misplaced(j.row, verdict); differences != nil {
			const problem = "the verdict has a member that no clause of the detector names for it"
			wrong := j.fail(i+1, laws.DescribeEvent(event), problem, differences)
			wrong.clause = verdictClause
			return wrong
		}
		now.events, now.verdicts = events[:k+1], append(now.verdicts, kept(verdict))
	}
	return nil
}

// runOther carries out a step that is no event.
func (j *judge) runOther(ctx context.Context, i int, s *session) error {
	step := j.c.Steps[i]
	got, err := j.ask(ctx, step, s)
	if is[*SuiteError](err) {
		return err
	}
	if step.Fault != nil {
		return j.checkRefused(i+1, describe(step), *step.Fault, err)
	}
	if err != nil {
		return j.unexpected(i+1, describe(step), err)
	}
	for _, expect := range step.Expect {
		if differences := compare(expect, got); differences != nil {
			return j.fail(i+1, describe(step), "the state differs", differences)
		}
	}
	if step.Action == cases.Reset && step.Instance == 0 {
		s.seen.Reset()
	}
	if step.Action == cases.Restore {
		s.seen.Restore()
	}
	j.past = append(j.past, moment{step: &j.c.Steps[i]})
	return nil
}

// ask sends the request of a step that is no event, and returns what it is answered with, if that is a value.
func (j *judge) ask(ctx context.Context, step cases.Step, s *session) (got spec.Value, err error) {
	switch step.Action {
	case cases.Reset:
		return got, s.Reset(ctx)
	case cases.State:
		return s.State(ctx)
	case cases.Snapshot:
		got, err = s.Snapshot(ctx)
		j.snapshots[step.Name] = got
		return got, err
	case cases.Restore:
		state := step.State
		if step.Name != "" {
			state = j.snapshots[step.Name]
		}
		return got, s.Restore(ctx, state)
	default:
		return got, &SuiteError{Problem: fmt.Sprintf("step %d: no action is called %q", j.step, step.Action)}
	}
}
