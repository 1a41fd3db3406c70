package fuzz

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/declared"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// Source returns how subjects for a detector in a reading are drawn, within what a port offers.
type Source func(offer spec.Offer, reading spec.Reading) func(*rapid.T) Subject

// Asks reports whether a port is asked a subject; nil stands for every one. A counterexample is shrunk within them.
type Asks func(Subject) bool

// AgreementID is the id of the check that a port says what the reference says.
const AgreementID = laws.AgreementID

// Cases returns what is checked on generated traces as if each check of each detector were a case, so that it can be
// selected, counted, excused and reported like one. Their ids are such as history-law-key-order; they have no steps.
func Cases() []cases.Case {
	var all []cases.Case
	for _, d := range spec.Detectors() {
		all = append(all, CasesOf(d)...)
	}
	return all
}

// CasesOf returns the checks of one detector.
func CasesOf(d spec.Definition) []cases.Case {
	return append([]cases.Case{laws.AgreementOf(d)}, laws.CasesOf(d)...)
}

// checkOf returns the check that the id of a case of a detector stands for.
func checkOf(detector spec.DetectorID, id string) string {
	_, check, _ := strings.Cut(strings.TrimPrefix(id, string(detector)), "-law-")
	return check
}

// Budget is how much is checked.
type Budget struct {
	Checks int                      // subjects for each detector and reading; a law gets a part of them
	Seeds  []int64                  // each gives so many; the same seed gives the same subjects
	Suite  []cases.Case             // laws are applied to traces of these too; agreement is what the cases say
	Fits   func(cases.Case) bool    // which cases of the suite the port can be asked; nil for all
	Done   func(conformance.Result) // called after each check that was carried out; may be nil
	Falls  *Falls                   // what befell the port's process is added to it; may be nil

	GivenUp map[Part]string // why generated traces of a detector in a reading are not played

	Reference spec.Port // see [Fuzzer]; of two ports, it says which is right
	Asks      Asks

	// Hopeless reports whether no trace is known that reaches a loop of a detector: if some find none, more are not
	// drawn. It may be nil.
	Hopeless func(spec.DetectorID) bool

	FailFast bool // the first check that does not pass is the last
	Over     bool // and it was found before: nothing is checked

	// Thorough gives subjects of its own to each check, and the traces of all cases to each law. Else the checks of a
	// detector in a reading share subjects, and a law gets the traces of a few cases: most would tell the same once more.
	Thorough bool
}

// Falls is what befell a port's process.
type Falls struct {
	Restarts    int      // how often it was started anew
	Unexplained int      // how often it died, or gave no answer in time, though no subject alone makes it do so
	Losses      []string // what these were, as far as known, a line each
}

// Part is a detector in a reading.
type Part struct {
	Detector spec.DetectorID
	Reading  spec.Reading
}

// Which part of the subjects a law gets, for laws are many, and each plays a trace several times.
const (
	lawShare   = 5  // where the budget is thorough
	usualShare = 10 // of the shared subjects; half as many traces of cases
)

// ofLaw returns how many subjects of each seed a law gets.
func (b Budget) ofLaw(id string) int {
	law, _ := laws.LawByID(id)
	switch {
	case b.Thorough:
		return partOf(b.Checks, lawShare)
	case law.ByEvent:
		return partOf(b.Checks, 2*usualShare)
	default:
		return partOf(b.Checks, usualShare)
	}
}

// partOf returns n divided by share, rounded up: nothing gets nothing.
func partOf(n, share int) int { return (n + share - 1) / share }

func (b Budget) fell(f Falls) {
	if b.Falls != nil {
		b.Falls.Restarts += f.Restarts
		b.Falls.Unexplained += f.Unexplained
		b.Falls.Losses = append(b.Falls.Losses, f.Losses...)
	}
}

// Traces returns how many traces were generated for the checks that these are the results of.
func (b Budget) Traces(results []conformance.Result) int {
	of := map[Part]int{}
	for _, r := range results {
		p, check := Part{r.Detector, r.Reading}, checkOf(r.Detector, r.Case)
		switch {
		case r.Status == conformance.Skipped:
		case check == AgreementID:
			of[p] += b.Checks * len(b.Seeds)
		default:
			of[p] += b.ofLaw(check) * len(b.Seeds)
		}
	}
	all := 0
	for _, n := range of {
		if !b.Thorough {
			n = min(n, b.Checks*len(b.Seeds))
		}
		all += n
	}
	return all
}

// Judge carries out the checks that the cases stand for, and returns a result for each reading of each. The oracle is
// what the port is compared with. A fault of the suite spoils the one check that it comes up in. Where the port can no
// longer be asked, that check and those after it are undecided.
//
// Unless the budget is thorough, all checks are first made side by side, which acquits those that find nothing. What is
// left is judged check by check.
func Judge(
	ctx context.Context, port, oracle spec.Port, source Source, laws []cases.Case, budget Budget,
) ([]conformance.Result, error) {
	description, err := port.Describe(ctx)
	if err != nil {
		return nil, fmt.Errorf("request the description of the port: %w", err)
	}
	if restarter, ok := port.(stdio.Restarter); ok && isGone(ctx, port) {
		budget.fell(Falls{Restarts: 1})
		if err := restarter.Restart(ctx); err != nil {
			return nil, fmt.Errorf("start the port again for generated traces: %w", err)
		}
	}
	port = declared.Port(port, description)
	j := &judgement{engine: engine{budget: budget, thrifty: true, pairs: []Pair{{port, oracle}}}}
	j.decided = j.settle
	j.prepare(ctx, laws, description, source)
	if !budget.Thorough && !budget.Over {
		j.scanAll(ctx)
	}
	j.judgeEach(ctx)
	j.settleLoss()
	return j.results(), nil
}

// judgement is one call of [Judge].
type judgement struct {
	engine
	why string // why no further trial is tried
}

// prepare makes the trials, and decides those of which nothing can be asked.
func (j *judgement) prepare(ctx context.Context, laws []cases.Case, description spec.Description, source Source) {
	for _, c := range laws {
		for _, reading := range c.Readings {
			t := &trial{c: c, result: conformance.NewResult(c, reading, description)}
			j.trials = append(j.trials, t)
			offer, _ := description.Offer(c.Detector)
			switch why := j.budget.GivenUp[Part{c.Detector, reading}]; {
			case !t.isOpen():
			case !hasSettings(c, offer, &t.result):
				t.result.Status = conformance.Skipped
			case ctx.Err() != nil:
				t.result.Status, t.result.Reason = conformance.Undecided, "not run: "+stdio.WhyEnded(ctx)
			case why != "":
				t.result.Status, t.result.Reason = conformance.Undecided, why
			default:
				if err := j.begin(t, source, offer, reading); err != nil {
					t.result.Status, t.result.Reason = conformance.Faulty, err.Error()
				}
			}
		}
	}
	for _, t := range j.targets {
		t.traces = nil // each trial has those that it is tried on
	}
}

// begin gives a trial its check and what the check is tried on.
func (j *judgement) begin(t *trial, source Source, offer spec.Offer, reading spec.Reading) error {
	of, err := j.target(source, offer, reading, nil)
	if err != nil {
		return err
	}
	place, err := of.fuzzers[0].placeOf(checkOf(t.c.Detector, t.c.ID))
	if err == nil {
		t.asks(of, place)
		t.rounds = of.rounds(j.budget, place)
	}
	return err
}

// whyFailedFast is why trials are not judged after the first that did not pass.
const whyFailedFast = "not run: the run stops at the first test that does not pass"

// judgeEach decides the trials that are open, one after the other. If the first that does not pass is the last, those
// come first that found something.
func (j *judgement) judgeEach(ctx context.Context) {
	trials := j.trials
	if j.budget.FailFast {
		found := slices.DeleteFunc(slices.Clone(trials), func(t *trial) bool { return t.failing.Load() == nil })
		trials = slices.Concat(found, trials)
	}
	if j.budget.Over {
		j.why = whyFailedFast
	} else {
		j.each(ctx, ctx, trials)
	}
	for _, t := range j.trials {
		if t.isOpen() {
			t.result.Status = conformance.Undecided
			t.result.Reason = cmp.Or(j.why, "not run: "+stdio.WhyEnded(ctx))
		}
	}
}

// settle gives a trial its result where it could not be decided. An adapter that does not start again is at fault, and
// the first trial says so.
func (j *judgement) settle(t *trial) bool {
	if t.err == nil && t.isOpen() {
		return false // interrupted
	}
	ours, isOurs := errors.AsType[*conformance.SuiteError](t.err)
	switch {
	case isOurs:
		t.result.Status, t.result.Reason = conformance.Faulty, ours.Error()
	case t.err != nil:
		j.why = t.err.Error()
		t.result.Status, t.result.Reason = conformance.Undecided, j.why
		if conformance.OutcomeOf(t.err) == conformance.AdapterFault {
			t.result.Status = conformance.Broken
		}
	}
	if j.budget.Done != nil {
		j.budget.Done(t.result)
	}
	if j.why == "" && j.budget.FailFast && t.result.Status != conformance.Passed {
		j.why = whyFailedFast
	}
	return j.why == ""
}

// settleLoss says whose fault it is that the port's process was lost while all trials were scanned. Where one of them
// alone brings that about, it has said so.
func (j *judgement) settleLoss() {
	j.budget.fell(j.falls())
	lost := j.lost.Load()
	if lost == nil || slices.ContainsFunc(j.trials, func(t *trial) bool { return t.lost }) {
		return
	}
	if lost.finding.isBreach() {
		lost.lose(Counterexample{Finding: *lost.finding})
		return
	}
	j.budget.fell(Falls{Unexplained: 1, Losses: []string{lost.finding.lost()}})
}

func (j *judgement) results() []conformance.Result {
	var results []conformance.Result
	for _, t := range j.trials {
		t.result.SaidLoop = t.tally.loops.Load() > 0
		results = append(results, t.result)
	}
	return results
}

// hasSettings reports whether a port has one of the settings that a law changes, and notes which they are where not.
func hasSettings(c cases.Case, offer spec.Offer, result *conformance.Result) bool {
	law, ok := laws.LawByID(checkOf(c.Detector, c.ID))
	if !ok || law.Askable(offer) {
		return true
	}
	result.MissingSettings = law.Changed(spec.Offer{Detector: c.Detector})
	result.Reason = fmt.Sprintf("the port declares no setting of %s that the law changes", c.Detector)
	return false
}

// tryFuzzer is [NewFuzzer], with a source that panics made a fault of the suite.
func tryFuzzer(port, oracle spec.Port, source Source, offer spec.Offer, reading spec.Reading) (h *Fuzzer, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &conformance.SuiteError{Problem: fmt.Sprintf("nothing can be drawn for %s: %v", offer.Detector, p)}
		}
	}()
	return NewFuzzer(port, oracle, source, offer, reading), nil
}

// placeOf returns the place of a check among those of the fuzzer.
func (h *Fuzzer) placeOf(id string) (int, error) {
	i := slices.IndexFunc(h.Checks, func(check Check) bool { return check.ID == id })
	if i < 0 {
		return i, &conformance.SuiteError{Problem: fmt.Sprintf("there is no check %q for %s", id, h.Detector)}
	}
	return i, nil
}

// Restrict leaves out the subjects that the port is not asked.
func (h *Fuzzer) Restrict(asks Asks) {
	if asks == nil {
		return
	}
	for i, check := range h.Checks {
		h.Checks[i].About = func(s Subject) bool { return asks(s) && check.About(s) }
	}
}

// NewFuzzer returns the fuzzer for a detector in a reading, with all checks that can be made.
func NewFuzzer(port, oracle spec.Port, source Source, offer spec.Offer, reading spec.Reading) *Fuzzer {
	h := &Fuzzer{
		Pair: Pair{port, oracle}, Detector: offer.Detector, Reading: reading, Draw: source(offer, reading),
		Together: together(port), offer: offer,
		Checks: append([]Check{Agreement(oracle, offer)}, LawChecks(offer)...),
	}
	return h.toldTo(&tally{})
}

// piped is how many subjects are under way at once with a port behind a pipe: as many as keep both ends busy.
const piped = 64

// together returns how many subjects a port gets at once: one after the other within this process, where nothing has
// to be waited for.
func together(port spec.Port) int {
	if _, ok := port.(spec.Player); ok {
		return piped
	}
	return 1
}

// mostEnds bounds how many processes of a port the spread of a fault may cost.
const mostEnds = 3

// spread says on how many subjects of the rounds a port fails a check, with a digest of how it fails on each: a fault
// that comes on top of a known one changes it, even where the counterexample stays the same.
func (h *Fuzzer) spread(ctx context.Context, check Check, rounds []round) (string, error) {
	if err := h.renew(ctx); err != nil {
		return "", err
	}
	digest, broken, played, ends := sha256.New(), 0, 0, 0
	seeds := ""
	for _, r := range rounds {
		if r.seed != 0 {
			seeds += fmt.Sprintf(", seed %d", r.seed)
		}
		for i := 0; i < r.n && ends < mostEnds && h.costs.exhausted() == ""; i++ {
			played++
			finding, err := h.finding(ctx, check, r.at(i))
			switch {
			case err != nil:
				return "", err
			case finding == nil:
				continue
			case finding.Gone != nil:
				ends++
			}
			broken++
			fmt.Fprintf(digest, "%d %d %s\n%s", r.seed, i, finding, finding.Later)
		}
	}
	return fmt.Sprintf("on %d of %d traces%s: %x", broken, played, seeds, digest.Sum(nil)[:4]), ctx.Err()
}

// failureOf renders a counterexample as the failure of a case.
func failureOf(c Counterexample) *conformance.Failure {
	f := &conformance.Failure{Step: c.Finding.Step + 1, Steps: len(c.Subject.Steps), Problem: c.Finding.Problem}
	if !c.Finding.Want.IsAbsent() || !c.Finding.Got.IsAbsent() {
		f.Differences = []conformance.Difference{{Want: show(c.Finding.Want), Got: show(c.Finding.Got)}}
	}
	if c.Subject.IsCall() {
		f.Action = c.Subject.Function + " " + c.Subject.Args.String()
		return f
	}
	for i, step := range c.Subject.Steps {
		f.Trace = append(f.Trace, describeStep(step))
		if i == c.Finding.Step && c.Finding.Check == AgreementID { // a law may play what comes later, before it or again
			f.Action, f.Trace = f.Trace[len(f.Trace)-1], f.Trace[:len(f.Trace)-1]
			break
		}
	}
	return f
}

func show(v spec.Value) string {
	if v.IsAbsent() {
		return ""
	}
	return v.String()
}

func describeStep(step laws.Step) string {
	line := "reset"
	if !step.IsReset() {
		line = laws.DescribeEvent(step.Event)
	}
	if step.Session > 0 {
		line = fmt.Sprintf("session %d: %s", step.Session+1, line)
	}
	return line
}
