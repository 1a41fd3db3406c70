package fuzz

import (
	"context"
	"crypto/sha256"
	"fmt"
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
const AgreementID = "agreement"

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
	return append([]cases.Case{agreementCase(d)}, laws.CasesOf(d)...)
}

func agreementCase(p spec.Definition) cases.Case {
	return cases.Case{
		ID: laws.CaseID(p.ID, AgreementID), Detector: p.ID, Clauses: []string{verdicts}, Readings: p.Readings,
		Tags:  []string{laws.Tag},
		Title: "On generated traces the port says what the reference says",
		Why:   "Cases find the faults that someone thought of; this finds the others.",
	}
}

// checkOf returns the check that the id of a case of a detector stands for.
func checkOf(detector spec.DetectorID, id string) string {
	_, check, _ := strings.Cut(strings.TrimPrefix(id, string(detector)), "-law-")
	return check
}

// Budget is how much is checked.
type Budget struct {
	Checks int                   // subjects for each detector and reading; a law gets a part of them
	Seeds  []int64               // each gives so many; the same seed gives the same subjects
	Suite  []cases.Case          // laws are applied to traces of these too; agreement is not: the cases say it themselves
	Fits   func(cases.Case) bool // which cases of the suite the port can be asked; nil for all
	Done   func()                // called after each check that was carried out; may be nil
	Falls  *Falls                // what befell the port's process is added to it; may be nil

	Rules spec.Port // the plain rules, which have the last word on a counterexample; nil asks nobody
	Asks  Asks

	FailFast bool // the first check that does not pass is the last
	Over     bool // and it was found before: nothing is checked

	// Thorough gives subjects of its own to each check, and the traces of all cases to each law. Else the checks of a
	// detector in a reading share subjects, and a law gets the traces of a few cases: most would tell the same once more.
	Thorough bool
}

// Falls is what befell a port's process.
type Falls struct {
	Restarts    int // how often it was started anew
	Unexplained int // how often it died though no subject alone makes it die
}

// part is a detector in a reading.
type part struct {
	detector spec.DetectorID
	reading  spec.Reading
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
	}
}

// Traces returns how many traces were generated for the checks that these are the results of.
func (b Budget) Traces(results []conformance.Result) int {
	of := map[part]int{}
	for _, r := range results {
		p, check := part{r.Detector, r.Reading}, checkOf(r.Detector, r.Case)
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
		return nil, fmt.Errorf("ask the port what it is: %w", err)
	}
	if restarter, ok := port.(stdio.Restarter); ok && isGone(ctx, port) {
		budget.fell(Falls{Restarts: 1})
		if err := restarter.Restart(ctx); err != nil {
			return nil, fmt.Errorf("start the port again for generated traces: %w", err)
		}
	}
	port = declared.Port(port, description)
	j := &judging{budget: budget, together: together(port)}
	j.prepare(laws, description, func(offer spec.Offer, reading spec.Reading) (*Fuzzer, error) {
		h, err := tryFuzzer(port, oracle, source, offer, reading)
		if err == nil {
			h.Rules = budget.Rules
			h.restrict(budget.Asks)
		}
		return h, err
	})
	if !budget.Thorough && !budget.Over {
		j.scanAll(ctx)
	}
	j.judgeEach(ctx)
	j.settleLoss()
	return j.results(), nil
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

// restrict leaves out the subjects that the port is not asked.
func (h *Fuzzer) restrict(asks Asks) {
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
		Port: port, Detector: offer.Detector, Reading: reading, Draw: source(offer, reading),
		Together: together(port), offer: offer, asked: &recorder{Port: port},
	}
	h.asked.told = h.tally.add
	h.Checks = append([]Check{Agreement(oracle, offer)}, LawChecks(offer)...)
	return h
}

// piped is how many subjects are under way at once with a port behind a pipe: as many as keep both ends busy.
const piped = 16

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
	if restarter, ok := h.Port.(stdio.Restarter); ok { // what the port has seen before shall not count
		if err := restarter.Restart(ctx); err != nil {
			return "", fmt.Errorf("start the port again: %w", err)
		}
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
