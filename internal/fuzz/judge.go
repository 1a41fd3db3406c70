package fuzz

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/laws"
	"github.com/loopstone/loopstone/spec"
)

// Source returns how subjects for a detector in a reading are drawn, within what a port offers.
type Source func(offer spec.Offer, reading spec.Reading) func(*rapid.T) Subject

// AgreementID is the id of the check that a port says what the reference says.
const AgreementID = "agreement"

// lawTag marks what is checked on generated traces among the cases of a run.
const lawTag = "law"

// Cases returns what is checked on generated traces as if each check of each detector were a case, so that it can be
// selected, counted, excused and reported like one. Their ids are such as history-law-key-order; they have no steps.
func Cases() []cases.Case {
	var all []cases.Case
	for _, p := range spec.Detectors() {
		all = append(all, cases.Case{
			ID: caseID(p.ID, AgreementID), Detector: p.ID, Clauses: []string{verdicts}, Readings: p.Readings, Tags: []string{lawTag},
			Title: "On generated traces the port says what the reference says",
			Why:   "Cases find the faults that someone thought of; this finds the others.",
		})
		for _, law := range laws.Laws() {
			readings := slices.DeleteFunc(slices.Clone(p.Readings), func(r spec.Reading) bool { return !law.HoldsFor(p.ID, r) })
			if len(readings) == 0 {
				continue
			}
			clauses := law.ClausesFor(p.ID)
			if len(clauses) == 0 {
				clauses = []string{verdicts}
			}
			all = append(all, cases.Case{
				ID: caseID(p.ID, law.ID), Detector: p.ID, Clauses: clauses, Readings: readings, Needs: law.Needs, Tags: []string{lawTag},
				Title: law.Sentence, Why: law.Why,
			})
		}
	}
	return all
}

func caseID(detector spec.DetectorID, check string) string {
	return fmt.Sprintf("%s-law-%s", detector, check)
}

// checkOf returns the check that a case stands for.
func checkOf(c cases.Case) string {
	_, check, _ := strings.Cut(strings.TrimPrefix(c.ID, string(c.Detector)), "-law-")
	return check
}

// Budget is how much is checked.
type Budget struct {
	Checks int          // subjects for each detector and reading; a law gets a fifth of them
	Seeds  []int64      // each deals out so many; the same seed gives the same subjects
	Suite  []cases.Case // the laws are applied to the traces of these too; agreement is not: the cases say it themselves
	Done   func()       // called after each check that was carried out; may be nil
}

// part is a detector in a reading.
type part struct {
	detector spec.DetectorID
	reading  spec.Reading
}

// Traces returns how many traces were generated for the checks that these are the results of; the same trace serves
// many checks.
func (b Budget) Traces(results []conformance.Result) int {
	of := map[part]int{}
	for _, r := range results {
		if r.Status == conformance.Skipped {
			continue
		}
		p, n := part{r.Detector, r.Reading}, (b.Checks+lawShare-1)/lawShare
		if r.Case == caseID(r.Detector, AgreementID) {
			n = b.Checks
		}
		of[p] = max(of[p], n*len(b.Seeds))
	}
	all := 0
	for _, n := range of {
		all += n
	}
	return all
}

// Judge carries out the checks that the cases stand for, and returns a result for each reading of each. The oracle is
// what the port is compared with. A fault of the suite spoils the one check that it comes up in. Where the port can no
// longer be asked, that check and those after it are undecided.
func Judge(ctx context.Context, port, oracle spec.Port, source Source, laws []cases.Case, budget Budget) ([]conformance.Result, error) {
	description, err := port.Describe(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask the port what it is: %w", err)
	}
	if restarter, ok := port.(Restarter); ok && isGone(ctx, port) {
		if err := restarter.Restart(ctx); err != nil {
			return nil, fmt.Errorf("start the port again for generated traces: %w", err)
		}
	}
	port = conformance.Declared(port, description)
	spent := map[part]*spending{}
	var results []conformance.Result
	var lost error // why the port can no longer be asked
	for _, c := range laws {
		for _, reading := range c.Readings {
			result := conformance.NewResult(c, reading, description)
			offer, _ := description.Offer(c.Detector)
			if result.Status == "" && !hasSettings(c, offer, &result) {
				result.Status = conformance.Skipped
			}
			if result.Status == "" && lost == nil {
				start := time.Now()
				h, err := tryHunt(port, oracle, source, offer, reading)
				if err == nil {
					p := part{c.Detector, reading}
					if spent[p] == nil {
						spent[p] = &spending{}
					}
					h.spend(spent[p])
					err = h.judge(ctx, c, &result, budget)
				}
				result.Elapsed = time.Since(start).Nanoseconds()
				var ours *conformance.SuiteError
				if errors.As(err, &ours) {
					result.Status, result.Reason = conformance.Faulty, err.Error()
				} else {
					lost = err
				}
				if budget.Done != nil {
					budget.Done()
				}
			}
			if result.Status == "" {
				result.Status, result.Reason = conformance.Undecided, lost.Error()
			}
			results = append(results, result)
		}
	}
	return results, nil
}

// hasSettings reports whether a port has one of the settings that a law changes, and notes which they are where not.
func hasSettings(c cases.Case, offer spec.Offer, result *conformance.Result) bool {
	law, ok := laws.LawByID(checkOf(c))
	if !ok || law.Askable(offer) {
		return true
	}
	result.MissingSettings = law.Changed(spec.Offer{Detector: c.Detector})
	result.Reason = fmt.Sprintf("the port declares no setting of %s that the law changes", c.Detector)
	return false
}

// tryHunt is [NewHunt], with a source that panics made a fault of the suite.
func tryHunt(port, oracle spec.Port, source Source, offer spec.Offer, reading spec.Reading) (h *Hunt, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &conformance.SuiteError{Problem: fmt.Sprintf("nothing can be drawn for %s: %v", offer.Detector, p)}
		}
	}()
	return NewHunt(port, oracle, source, offer, reading), nil
}

// NewHunt returns the hunt for a detector in a reading, with all checks that can be made.
func NewHunt(port, oracle spec.Port, source Source, offer spec.Offer, reading spec.Reading) *Hunt {
	h := &Hunt{
		Port: port, Detector: offer.Detector, Reading: reading, Draw: source(offer, reading),
		Together: together(port), offer: offer, asked: &tap{Port: port},
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

// lawShare is which part of the subjects a law gets: laws are many, and each plays a trace several times.
const lawShare = 5

// exercise is how many subjects a check gets until a verdict was a loop: in fewer, the rarest rules may keep silent.
const exercise = 200

// judge carries out the check that a case stands for. A check that finds nothing on sessions that are all refused, or
// without a loop, has shown nothing.
func (h *Hunt) judge(ctx context.Context, c cases.Case, result *conformance.Result, budget Budget) error {
	id := checkOf(c)
	i := slices.IndexFunc(h.Checks, func(check Check) bool { return check.ID == id })
	if i < 0 {
		return &conformance.SuiteError{Problem: fmt.Sprintf("there is no check %q for %s", id, c.Detector)}
	}
	rounds := h.rounds(h.Checks[i], budget)
	for n := 0; n < len(rounds); n++ {
		found, err := h.lookAt(ctx, h.Checks[i], rounds[n].lineup)
		if err != nil {
			return fmt.Errorf("%s: %w", c.ID, err)
		}
		if found != nil {
			result.Status, result.Failure, result.Clauses = conformance.Failed, failureOf(*found), clausesOf(*found)
			if config := found.Subject.Config; !config.IsAbsent() {
				result.Config = config.String()
			}
			result.Failure.Seed = rounds[n].seed
			result.Failure.Spread, err = h.spread(ctx, h.Checks[i], rounds[:max(n+1, min(2, len(rounds)))])
			return err
		}
		if h.spent.isTooMuch() {
			result.Status, result.Reason = conformance.Undecided, tooMuch
			return nil
		}
		if last := rounds[n]; n == len(rounds)-1 && h.tally.unexercised() != "" && last.n < exercise {
			rounds = append(rounds, round{h.drawn(h.Checks[i], exercise, uint64(last.seed)), last.seed})
		}
	}
	result.Status = conformance.Passed
	if why := h.tally.unexercised(); why != "" {
		result.Status, result.Reason = conformance.Undecided, why
	}
	return nil
}

// round is a list of subjects that a check is tried on.
type round struct {
	lineup
	seed int64 // that they were drawn with; 0 for those of the cases
}

// rounds returns what a check is tried on: the traces of the cases, which say by themselves whether the port agrees, and
// those of each seed.
func (h *Hunt) rounds(check Check, budget Budget) []round {
	subjects, checks := []Subject(nil), budget.Checks
	if check.ID != AgreementID {
		subjects, checks = h.subjectsOf(check, budget.Suite), (checks+lawShare-1)/lawShare
	}
	rounds := []round{{listed(subjects), 0}}
	for _, seed := range budget.Seeds {
		rounds = append(rounds, round{h.drawn(check, checks, uint64(seed)), seed})
	}
	return rounds
}

// mostEnds bounds how many processes of a port the spread of a fault may cost.
const mostEnds = 3

// spread says on how many subjects of the rounds a port fails a check, with a digest of how it fails on each: a fault
// that comes on top of a known one changes it, even where the counterexample stays the same.
func (h *Hunt) spread(ctx context.Context, check Check, rounds []round) (string, error) {
	if restarter, ok := h.Port.(Restarter); ok { // what the port has seen before shall not count
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
		for i := 0; i < r.n && ends < mostEnds && !h.spent.isTooMuch(); i++ {
			played++
			finding, err := h.finding(ctx, check, r.at(i))
			switch {
			case err != nil:
				return "", err
			case finding == nil:
				continue
			case finding.Ended:
				ends++
			}
			broken++
			fmt.Fprintf(digest, "%d %d %s\n%s", r.seed, i, finding, finding.Later)
		}
	}
	return fmt.Sprintf("on %d of %d traces%s: %x", broken, played, seeds, digest.Sum(nil)[:4]), ctx.Err()
}

// subjectsOf returns the traces of the cases that a check is about.
func (h *Hunt) subjectsOf(check Check, suite []cases.Case) []Subject {
	var subjects []Subject
	for _, c := range suite {
		if c.Detector != h.Detector {
			continue
		}
		for _, trace := range TracesOf(c) {
			if s := (Subject{Trace: trace}); trace.Reading == h.Reading && check.About(s) {
				subjects = append(subjects, s)
			}
		}
	}
	return subjects
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
		line = conformance.DescribeEvent(step.Event)
	}
	if step.Session > 0 {
		line = fmt.Sprintf("session %d: %s", step.Session+1, line)
	}
	return line
}
