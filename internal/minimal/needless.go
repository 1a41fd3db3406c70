package minimal

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/strength/kills"
	"github.com/loopstone/loopstone/spec"
)

// RedundantTag marks a case that needs steps which show nothing on the reference: its why says what they are for.
const RedundantTag = "redundant-by-design"

// Needless returns the steps that the suite could do without, one problem a line. A step is needed where at least one
// of these is so, in at least one reading of the case:
//
//   - Without it (of a repeated one: with one repetition less), the oracle fails the case.
//   - Without it, the case no longer kills a mutant of the reference that it kills now, as the kill matrix found.
//   - A port that slips at this step and is the oracle otherwise fails the case: one that overlooks it, takes it in
//     twice, takes it for another event of the case, or forgets everything before or after it.
//   - Without it, the case no longer catches a port that it catches now: one that slips at another step, or a rival,
//     which is wrong in one way throughout.
//   - It is the first of its session that compares a state, or it must be refused: a port that accepts it fails.
//
// So a step need not change the oracle's later verdicts: an event that must change nothing is needed where a port that
// lets it change something is caught. A case that is an example of a document shows the example as it stands. Of two
// cases that show one trace in two readings it is enough that one needs the step. The error says what could not be
// judged.
func Needless(ctx context.Context, suite []cases.Case, oracle spec.Port, measured *kills.List) (problems []error, err error) {
	found := make([][]error, len(suite))
	failures := make([]error, len(suite))
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				found[i], failures[i] = needlessIn(ctx, suite[i], suite, oracle, measured)
			}
		})
	}
	for i := range suite {
		next <- i
	}
	close(next)
	workers.Wait()
	return slices.Concat(found...), errors.Join(failures...)
}

// needlessIn returns the steps that one case of the suite could do without.
func needlessIn(ctx context.Context, c cases.Case, suite []cases.Case, oracle spec.Port, measured *kills.List) ([]error, error) {
	if c.Example || slices.Contains(c.Tags, RedundantTag) {
		return nil, nil
	}
	var problems []error
	sides := sidesOf(c, suite)
	for i, step := range c.Steps {
		if slices.ContainsFunc(sides, func(side cases.Case) bool { return measured.Needs(side, i) }) {
			continue
		}
		needed, err := isNeededByOne(ctx, sides, i, oracle)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.ID, err)
		}
		if !needed {
			problems = append(problems, fmt.Errorf("%s: %s shows the same without step %d%s",
				step.Place, c.ID, i+1, repetition(step)))
		}
	}
	return problems, nil
}

func repetition(step cases.Step) string {
	if step.Times > 1 {
		return fmt.Sprintf(", observed %d times instead of %d", step.Times-1, step.Times)
	}
	return ""
}

// sidesOf returns the case and those that show the same trace for other readings.
func sidesOf(c cases.Case, suite []cases.Case) []cases.Case {
	sides := []cases.Case{c}
	for _, other := range suite {
		if other.ID != c.ID && other.Detector == c.Detector && sameTrace(c, other) &&
			!slices.ContainsFunc(other.Readings, func(r spec.Reading) bool { return slices.Contains(c.Readings, r) }) {
			sides = append(sides, other)
		}
	}
	return sides
}

// sameTrace reports whether two cases do the same, whatever they expect.
func sameTrace(a, b cases.Case) bool {
	return a.Config.Equal(b.Config) && slices.EqualFunc(a.Steps, b.Steps, func(s, t cases.Step) bool {
		return s.Action == t.Action && s.Session == t.Session && s.Times == t.Times && s.Name == t.Name &&
			s.State.Equal(t.State) && slices.EqualFunc(s.Events, t.Events, spec.Value.Equal)
	})
}

func isNeededByOne(ctx context.Context, sides []cases.Case, i int, oracle spec.Port) (bool, error) {
	for _, c := range sides {
		needed, err := isNeeded(ctx, c, i, oracle)
		if err != nil || needed {
			return needed, err
		}
	}
	return false, nil
}

func isNeeded(ctx context.Context, c cases.Case, i int, oracle spec.Port) (bool, error) {
	if c.Steps[i].Fault != nil || takesSnapshotForLater(c, i) || asksFirst(c, i) {
		return true, nil
	}
	for _, reading := range c.Readings {
		one := c
		one.Readings = []spec.Reading{reading}
		needed, err := isNeededInReading(ctx, one, i, oracle)
		if err != nil || needed {
			return needed, err
		}
	}
	return false, nil
}

// isNeededInReading assumes that the case has one reading. What decides most often, and costs least, comes first.
func isNeededInReading(ctx context.Context, c cases.Case, i int, oracle spec.Port) (bool, error) {
	shorter := Without(c, i)
	if len(shorter.Steps) > 0 {
		if passes, err := passesOn(ctx, oracle, shorter); err != nil || !passes {
			return true, err
		}
	}
	for _, s := range slipsAt(c, i) {
		if passes, err := slipPasses(ctx, oracle, caseAndSlip{c, s}); err != nil || !passes {
			return true, err
		}
	}
	if len(shorter.Steps) == 0 {
		return false, nil
	}
	if caught, err := catchesRival(ctx, c, shorter, oracle); err != nil || caught {
		return caught, err
	}
	return catchesSlip(ctx, c, i, oracle)
}

// catchesSlip reports whether the case catches a slip at another step that it does not catch without this one.
func catchesSlip(ctx context.Context, c cases.Case, i int, oracle spec.Port) (bool, error) {
	shorter := Without(c, i)
	for k := range c.Steps {
		if k == i || c.Steps[k].Fault != nil {
			continue
		}
		moved := k
		if k > i && len(shorter.Steps) < len(c.Steps) {
			moved--
		}
		at := turnsOf(shorter, moved)
		for _, s := range slipsAt(c, k) {
			later := s
			later.turn += at.first - turnsOf(c, k).first
			later.session = at.session
			if lost, err := losesSlip(ctx, oracle, caseAndSlip{c, s}, caseAndSlip{shorter, later}); err != nil || lost {
				return lost, err
			}
		}
	}
	return false, nil
}

// caseAndSlip is a case, and the slip of the port that it is run on.
type caseAndSlip struct {
	c    cases.Case
	slip slip
}

// slipPasses reports whether the case passes on the oracle with the slip.
func slipPasses(ctx context.Context, oracle spec.Port, cs caseAndSlip) (bool, error) {
	return wrongPasses(ctx, &slippingPort{Port: oracle, slip: cs.slip}, cs.c)
}

// wrongPasses reports whether a port that is wrong on purpose passes the case, by its verdicts: evidence counts only
// where the case asks for it.
func wrongPasses(ctx context.Context, wrong spec.Port, c cases.Case) (bool, error) {
	if !slices.Contains(c.Needs, spec.Evidence) {
		wrong = mutePort{wrong}
	}
	return passesOn(ctx, wrong, c)
}

// losesSlip reports whether a slip is caught by the case, and not by the shorter one.
func losesSlip(ctx context.Context, oracle spec.Port, whole, shorter caseAndSlip) (bool, error) {
	passes, err := slipPasses(ctx, oracle, whole)
	if err != nil || passes {
		return false, err
	}
	return slipPasses(ctx, oracle, shorter)
}

// asksFirst reports whether the step compares a state, as the first of its session that does.
func asksFirst(c cases.Case, i int) bool {
	asks := func(s cases.Step) bool { return len(s.Expect) > 0 && s.Action != cases.Observe }
	return asks(c.Steps[i]) && !slices.ContainsFunc(c.Steps[:i], func(earlier cases.Step) bool {
		return asks(earlier) && earlier.Session == c.Steps[i].Session
	})
}

// takesSnapshotForLater reports whether a later step restores what this one takes.
func takesSnapshotForLater(c cases.Case, i int) bool {
	step := c.Steps[i]
	return step.Action == cases.Snapshot && slices.ContainsFunc(c.Steps[i:], func(later cases.Step) bool {
		return later.Action == cases.Restore && later.Name == step.Name
	})
}

// Without returns the case without a step, or with one repetition of it less.
func Without(c cases.Case, i int) cases.Case {
	c.Steps = slices.Clone(c.Steps)
	if c.Steps[i].Times > 1 {
		c.Steps[i].Times--
		return c
	}
	c.Steps = slices.Delete(c.Steps, i, i+1)
	return c
}

// passesOn reports whether a port passes the case in all its readings.
func passesOn(ctx context.Context, port spec.Port, c cases.Case) (bool, error) {
	options := conformance.Options{Jobs: 1, Suite: conformance.SuiteInfo{Version: spec.Version}}
	report, err := conformance.Run(ctx, port, []cases.Case{c}, options)
	if err != nil {
		return false, err
	}
	if n := report.Count(conformance.Skipped) + report.Count(conformance.Undecided); n > 0 {
		return false, errors.New("the oracle cannot be asked: " + report.Results[0].Reason)
	}
	return report.Count(conformance.Passed) == len(report.Results), nil
}

// slipsAt returns the slips that can happen at the turns of a step.
func slipsAt(c cases.Case, i int) []slip {
	at := turnsOf(c, i)
	slipOf := func(kind slipKind) slip { return slip{kind: kind, session: at.session, turn: at.first} }
	after := slipOf(forgetsAfter)
	after.turn += max(at.events-1, 0)
	list := []slip{slipOf(forgetsBefore), after}
	if at.events == 0 {
		return list
	}
	list = append(list, slipOf(overlooks), slipOf(repeats))
	for _, other := range at.others {
		s := slipOf(mistakes)
		s.other = other
		list = append(list, s)
	}
	return list
}

// turns says where a step stands among the turns of its session.
type turns struct {
	session int          // in the order in which they are opened
	first   int          // of the step's turns
	events  int          // how many events the step is; 0 where it is another request
	others  []spec.Value // the other events of the session, each once, at most maxOthers
}

// maxOthers bounds how many other events an event is mistaken for.
const maxOthers = 8

func turnsOf(c cases.Case, i int) turns {
	var opened []string
	t := turns{events: eventsIn(c.Steps[i])}
	for k, step := range c.Steps {
		if k <= i && !slices.Contains(opened, step.Session) {
			opened = append(opened, step.Session)
		}
		if step.Session != c.Steps[i].Session || k == i {
			continue
		}
		if k < i {
			t.first += max(eventsIn(step), 1)
		}
		if step.Fault == nil {
			t.add(step.Events)
		}
	}
	t.session = slices.Index(opened, c.Steps[i].Session)
	return t
}

// add notes events that the step's could be mistaken for.
func (t *turns) add(events []spec.Value) {
	for _, event := range events {
		if len(t.others) < maxOthers && !slices.ContainsFunc(t.others, event.Equal) {
			t.others = append(t.others, event)
		}
	}
}

func eventsIn(step cases.Step) int { return step.Times * len(step.Events) }
