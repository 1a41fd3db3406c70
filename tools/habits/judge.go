package habits

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/lists"
)

// outcome is how a port with a fault fared against the cases of its detector.
type outcome struct {
	fault
	failed int    // tests that did not pass
	first  string // the clause that the report shows first
}

func (o outcome) isFound() bool { return o.failed > 0 }

// isNamed reports whether the first clause shown is the one that is broken.
func (o outcome) isNamed() bool { return slices.Contains(o.clauses, o.first) }

// judgeAll plants every fault and judges it, some at once. The error has what could not be judged.
func judgeAll(ctx context.Context, adapters, folder string, faults []fault, suite []cases.Case) ([]outcome, error) {
	workers := runtime.GOMAXPROCS(0) + 1 // a port and its judge take turns
	outcomes, problems := make([]outcome, len(faults)), make([]error, workers)
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			w, err := newWorkplace(adapters, fmt.Sprintf("%s/%d", folder, worker))
			for i := worker; i < len(faults) && err == nil; i += workers {
				outcomes[i], err = w.judge(ctx, faults[i], suite)
			}
			problems[worker] = err
		})
	}
	group.Wait()
	return outcomes, errors.Join(problems...)
}

// patience is how long an answer may take: a fault may be a loop without an end, and the machine busy.
const patience = 30 * time.Second

// judge judges one fault by the cases of its detector.
func (w *workplace) judge(ctx context.Context, f fault, suite []cases.Case) (outcome, error) {
	o := outcome{fault: f}
	err := w.with(f, func() error {
		r, err := w.run(ctx, f, suite)
		if err == nil {
			o.failed, o.first, err = found(r)
		}
		if err != nil {
			return fmt.Errorf("%s: %s: %w", f.place, f.habit, err)
		}
		return nil
	})
	return o, err
}

// run lets the cases of the fault's detector judge the port as it is now.
func (w *workplace) run(ctx context.Context, f fault, suite []cases.Case) (*conformance.Report, error) {
	command, err := f.language.command(ctx, w.folder)
	if err != nil {
		return nil, err
	}
	if command.Path == "python3" {
		command.Path = w.python
	}
	port, err := stdio.StartAdapter(ctx, command, stdio.Options{StartTimeout: patience, RequestTimeout: patience})
	if err != nil {
		return nil, err
	}
	defer port.Close()
	// Long cases are left out, as of mutants: what only they notice is no habit.
	selected := lists.Filter(suite, func(c cases.Case) bool { return c.Detector == f.detector && !c.IsLong() })
	if len(selected) == 0 {
		return nil, fmt.Errorf("there are no cases of %s", f.detector)
	}
	// One case at a time: what sessions share would otherwise show in another order each time.
	return conformance.Run(ctx, port, selected, conformance.Options{MaxRestarts: 1, Jobs: 1})
}

// found returns how many tests did not pass, and the clause that a text report shows first.
func found(r *conformance.Report) (failed int, first string, err error) {
	for _, result := range r.Results {
		if result.Status != conformance.Passed && result.Status != conformance.Skipped {
			failed++
		}
	}
	var text bytes.Buffer
	if err := report.Write("text", &text, r, report.Options{}); err != nil {
		return 0, "", err
	}
	if shown := firstClause.FindSubmatch(text.Bytes()); shown != nil {
		first = string(shown[1])
	}
	return failed, first, nil
}

// firstClause matches the line of a text report that names the clause of a failure.
var firstClause = regexp.MustCompile(`(?m)^  clause +(\S+)`)

// leastNamed is the share of the faults noticed, in percent, for which the report must show a broken clause first;
// leastOfEach is the same for the faults of each detector.
const leastNamed, leastOfEach = 92, 90

// assess returns what the gate demands and the outcomes do not keep, one problem each.
func assess(outcomes []outcome) error {
	var problems []error
	var all tally
	for _, o := range outcomes {
		all.count(o)
		switch {
		case !o.isFound() && o.survives == "":
			problems = append(problems, o.place.Problemf("%s: %s: no case notices it", o.detector, o.habit))
		case o.isFound() && o.survives != "":
			problems = append(problems, o.place.Problemf("%s: %s: %d tests notice it, though none can: %s",
				o.detector, o.habit, o.failed, o.survives))
		}
	}
	if !all.names(leastNamed) {
		problems = append(problems, fmt.Errorf("a broken clause comes first for %d of %d faults, want %d %%",
			all.named, all.found, leastNamed))
	}
	for _, of := range talliesOf(outcomes, func(o outcome) string { return string(o.detector) }) {
		if !of.names(leastOfEach) {
			problems = append(problems, fmt.Errorf("%s: a broken clause comes first for %d of %d faults, want %d %%",
				of.name, of.named, of.found, leastOfEach))
		}
	}
	return errors.Join(problems...)
}

// tally counts the faults of a detector, a port or a habit.
type tally struct {
	name                  string
	planted, found, named int
}

func (t *tally) count(o outcome) {
	t.planted++
	if o.isFound() {
		t.found++
	}
	if o.isFound() && o.isNamed() {
		t.named++
	}
}

// names reports whether a broken clause comes first for at least so many percent of the faults noticed.
func (t tally) names(percent int) bool { return 100*t.named >= percent*t.found }

// talliesOf counts the faults by what they are of, in the order in which that comes first.
func talliesOf(outcomes []outcome, of func(outcome) string) []tally {
	var list []tally
	for _, o := range outcomes {
		i := slices.IndexFunc(list, func(t tally) bool { return t.name == of(o) })
		if i < 0 {
			i, list = len(list), append(list, tally{name: of(o)})
		}
		list[i].count(o)
	}
	return list
}
