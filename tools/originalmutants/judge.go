package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/suite/porttest"
	"github.com/loopstone/loopstone/spec"
)

// verdict is how a mutant fared.
type verdict struct {
	mutant

	Starts  bool   // it can be built and answers
	Differs bool   // on one of the traces
	Cases   bool   // a case kills it
	Run     bool   // the default run does
	First   string // the case that does
	Own     bool   // one of the project's own tests does

	Tried    bool // the exported tests were run: what the default run does not kill, they are not asked about
	Exported bool // one of them kills it
}

// record is an original with what was found about its mutants.
type record struct {
	original

	Suite          string // its digest
	Drawn          int    // traces for each profile
	Traces, Others int    // that were played, and that were not as the profile and the original disagree on them
	HasTests       bool
	HasExported    bool
	Verdicts       []verdict
}

// judge plants the mutants of an original, some at once, but for those that are known. It calls done with each verdict,
// from several goroutines.
func (o original) judge(
	ctx context.Context, tools place, folder string, traces int, s *results, done func(verdict),
) (record, error) {
	rec := record{original: o, Drawn: traces}
	j := &judge{results: s, done: done}
	for i := range workers {
		w, err := newWorkplace(o, tools, fmt.Sprintf("%s/%s-%d", folder, o.name, i))
		if err != nil {
			return rec, err
		}
		j.places = append(j.places, w)
	}
	if err := j.learn(ctx, &rec, traces); err != nil {
		return rec, fmt.Errorf("%s: %w", o.name, err)
	}
	err := j.all(ctx, &rec, o.mutants(j.places[0].text))
	slices.SortStableFunc(rec.Verdicts, func(x, y verdict) int {
		return cmp.Or(cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column))
	})
	return rec, err
}

// workers is how many mutants of an original are judged at once.
const workers = 2

// all judges the mutants of a list.
func (j *judge) all(ctx context.Context, rec *record, list []mutant) error {
	known, err := j.results.known(*rec)
	problems := []error{err}
	for _, m := range list {
		if v, is := known[m.String()]; is {
			problems = append(problems, j.results.note(rec, v))
		}
	}
	list = slices.DeleteFunc(list, func(m mutant) bool {
		v, is := known[m.String()]
		return is && !j.isOpen(v)
	})
	failed := make([]error, workers)
	var group sync.WaitGroup
	for i, w := range j.places {
		group.Go(func() {
			for k := i; k < len(list) && failed[i] == nil; k += workers {
				var v verdict
				if v, failed[i] = j.one(ctx, w, list[k], known[list[k].String()]); failed[i] == nil {
					failed[i] = j.results.note(rec, v)
					j.done(v)
				}
			}
		})
	}
	group.Wait()
	return errors.Join(append(problems, failed...)...)
}

// judge is what the mutants of one original are judged by.
type judge struct {
	results *results
	done    func(verdict)

	places []*workplace
	traces []played
	suite  []cases.Case // for its profiles
	passes string       // what the project's own tests say of the original
}

// learn asks the original what is wanted of its mutants.
func (j *judge) learn(ctx context.Context, rec *record, traces int) error {
	w := j.places[0]
	if built, err := w.plant(ctx, w.text); err != nil || !built {
		return errors.Join(err, errors.New("the original cannot be built"))
	}
	port, err := w.start(ctx)
	if err != nil {
		return err
	}
	defer port.Close()
	if j.traces, rec.Others, err = w.drawTraces(ctx, port, traces); err != nil {
		return err
	}
	rec.Traces = len(j.traces)
	said, err := port.Describe(ctx)
	if err != nil {
		return err
	}
	if j.suite, err = asked(ctx, said.Detectors); err != nil {
		return err
	}
	rec.Suite = conformance.InfoOf(j.suite).Digest
	switch r, err := conformance.Run(ctx, port, j.suite, conformance.Options{}); {
	case err != nil:
		return err
	case failedIn(r) != "":
		return fmt.Errorf("the original fails %s", failedIn(r))
	}
	if err := j.learnExported(ctx, rec); err != nil || w.tools.noOwn || w.tests == nil {
		return err
	}
	j.passes, err = w.failing(ctx)
	rec.HasTests = strings.Contains(j.passes, "ok ")
	return err
}

// learnExported lays out the exported tests, which the original must pass.
func (j *judge) learnExported(ctx context.Context, rec *record) error {
	for _, w := range j.places {
		if err := w.layExported(ctx); err != nil {
			return err
		}
	}
	if rec.HasExported = j.places[0].hasExported; !rec.HasExported {
		return nil
	}
	failed, err := j.places[0].failsExported(ctx)
	if failed {
		err = errors.New("the original fails the exported tests")
	}
	return err
}

// asked returns the cases of the profiles that a port declares.
func asked(ctx context.Context, offers []spec.Offer) ([]cases.Case, error) {
	all, err := cases.All()
	if err != nil {
		return nil, err
	}
	all, _, _, err = porttest.WithProfiles(ctx, all, offers, conformance.Settings{})
	return slices.DeleteFunc(all, func(c cases.Case) bool { return !c.Detector.IsProfile() || len(c.Steps) == 0 }), err
}

// failedIn returns the id of the first case that does not pass.
func failedIn(r *conformance.Report) string {
	for _, one := range r.Results {
		if one.Status != conformance.Passed && one.Status != conformance.Skipped {
			return one.Case
		}
	}
	return ""
}

// isOpen reports whether the exported tests are still to be run on a mutant.
func (j *judge) isOpen(v verdict) bool { return v.Run && !v.Tried && j.places[0].hasExported }

// one judges one mutant, of which something may be known.
func (j *judge) one(ctx context.Context, w *workplace, m mutant, known verdict) (verdict, error) {
	v := verdict{mutant: m}
	built, err := w.plant(ctx, m.in(w.text))
	if err != nil || !built {
		return v, err
	}
	if known.Line == 0 {
		known, err = j.decide(ctx, w, m)
	}
	if v = known; err == nil && j.isOpen(v) {
		v.Tried = true
		v.Exported, err = w.failsExported(ctx)
	}
	return v, err
}

// decide judges the mutant that is planted, by all but the exported tests.
func (j *judge) decide(ctx context.Context, w *workplace, m mutant) (v verdict, err error) {
	v.mutant = m
	if v.Starts, v.Differs, err = j.played(ctx, w); err != nil || !v.Starts {
		return v, err
	}
	if v.First, err = j.failed(ctx, w); err != nil {
		return v, err
	}
	v.Cases = v.First != ""
	v.Run = v.Cases
	if v.Differs && !v.Cases {
		if v.Run, err = w.isRefused(ctx); err != nil {
			return v, err
		}
	}
	if v.isDistinguishable() && j.passes != "" {
		own, err := w.failing(ctx)
		v.Own = err != nil || own != j.passes
	}
	return v, ctx.Err()
}

// played reports whether a port starts, and whether it differs from the original.
func (j *judge) played(ctx context.Context, w *workplace) (starts, differ bool, err error) {
	port, err := w.start(ctx)
	if err != nil {
		return false, false, ctx.Err()
	}
	defer port.Close()
	return true, differs(ctx, port, j.traces), ctx.Err()
}

// failed returns the first case that a port fails.
func (j *judge) failed(ctx context.Context, w *workplace) (string, error) {
	port, err := w.start(ctx)
	if err != nil {
		return "", err
	}
	defer port.Close()
	r, err := conformance.Run(ctx, port, j.suite, conformance.Options{FailFast: true, Jobs: 8, MaxRestarts: -1})
	if err != nil {
		return "", err
	}
	return failedIn(r), nil
}

// isRefused reports whether the default run of loopstone test finds a port wrong.
func (w *workplace) isRefused(ctx context.Context) (bool, error) {
	c := w.command()
	run := exec.CommandContext(ctx, w.tools.loopstone, append([]string{"test", "--", c.Path}, c.Args...)...)
	run.Dir = w.folder
	out, err := run.CombinedOutput()
	if code, ended := errors.AsType[*exec.ExitError](err); ended {
		if o := conformance.Outcome(code.ExitCode()); o == conformance.NotConformant || o == conformance.AdapterFault {
			return true, nil
		}
		return false, fmt.Errorf("loopstone test: %w\n%s", err, out)
	}
	return false, err
}
