package fuzz

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// Campaign looks for faults until its time is up.
type Campaign struct {
	Pairs  []Pair       // one for each worker, all of the same ports
	Laws   []cases.Case // the checks, each in its readings; what the ports do not offer is left out
	Source Source
	Asks   Asks

	Reference spec.Port // see [Fuzzer]
	Against   bool      // each oracle is an older port: the reference says which of both is right

	Seed uint64
	For  time.Duration

	Config *spec.Value // that every session gets; drawn where it is nil
	// Known says that a case of that id was found before, and is not to be found again; nil knows none.
	Known func(id string, reading spec.Reading) bool

	Progress func(Progress) // is never called twice at once; may be nil
}

// Progress is how far a campaign is.
type Progress struct {
	Traces, Calls int // that the port was told; each is an execution
	Events        int // of all traces
	Verdicts      int // of the port
	Checks        int // rounds of a check on many traces and calls
	Findings      int // different counterexamples
	Known         int // different counterexamples that were known
	Lost          int // processes that died or hung, and no trace shows why
	Losses        []string
	Elapsed       time.Duration
}

// Executions returns how many traces and function calls the port was told. A trace that a law tells in several requests
// is one execution, and each session of a trace with several is one.
func (p Progress) Executions() int { return p.Traces + p.Calls }

// String returns the progress in one line.
func (p Progress) String() string {
	seconds := max(p.Elapsed.Seconds(), 1e-9)
	return fmt.Sprintf("%d executions, %.0f/s, %.1f events per trace, %d laws checked, %s", p.Executions(),
		float64(p.Executions())/seconds, float64(p.Events)/float64(max(p.Traces, 1)), p.Checks,
		wording.Count(p.Findings, "finding"))
}

// Found is a counterexample with the case that was made of it.
type Found struct {
	Counterexample
	Case   cases.Case
	Change conformance.Change // what a difference from an older port means; empty where there is none
	Sides  []conformance.Side // what each says there
}

// Run looks until the time is up, and returns each different counterexample once. What is being shrunk when the time is
// up is shrunk to its end. The same seed gives the same subjects, however many workers there are. The error is one
// of asking; what was found before is returned with it.
func (c Campaign) Run(ctx context.Context) ([]Found, Progress, error) {
	r := newCampaign(c)
	if err := r.prepare(ctx); err != nil {
		return nil, Progress{}, err
	}
	err := r.run(ctx)
	return r.found, r.progress(), err
}

// campaign is the state of a run. Rounds follow one another; within a round, each worker takes the next trial that
// nobody has taken, and the results are merged in the order of the trials. So the findings of a round do not depend on
// which worker was faster.
type campaign struct {
	Campaign
	engine // whose mutex guards what follows, but for what is not written during a round
	start  time.Time

	found  []Found
	seen   map[string]bool // keys of what was found; not written during a round
	met    map[string]bool // ids of known cases that were found again
	checks int
}

func newCampaign(c Campaign) *campaign {
	r := &campaign{Campaign: c, start: time.Now(), seen: map[string]bool{}, met: map[string]bool{}}
	r.budget = Budget{Checks: roundChecks, Thorough: true, Reference: c.Reference, Asks: c.Asks}
	r.budget.Hopeless = func(spec.DetectorID) bool { return true } // the next round brings more subjects
	r.failed, r.decided = r.keep, r.tell
	return r
}

// prepare makes the trials of each law in each reading that both ports of the pairs offer. That there are none is an
// error.
func (r *campaign) prepare(ctx context.Context) error {
	if len(r.Pairs) == 0 {
		return fmt.Errorf("there is no port to look at")
	}
	var offers []spec.Offer
	for i, pair := range r.Pairs {
		pair, one, other, err := pair.declared(ctx)
		if err != nil {
			return err
		}
		r.pairs = append(r.pairs, pair)
		var shared []spec.Offer
		for _, offer := range one.Detectors {
			theirs, _ := other.Offer(offer.Detector)
			shared = append(shared, offer.And(theirs))
		}
		if i == 0 {
			offers = shared
		}
		if !reflect.DeepEqual(shared, offers) {
			return fmt.Errorf("the port says something else of itself each time it is started")
		}
	}
	shared := spec.Description{Detectors: offers}
	for _, c := range r.Laws {
		offer, _ := shared.Offer(c.Detector)
		for _, reading := range c.Readings {
			if !slices.Contains(offer.Readings, reading) {
				continue
			}
			if err := r.add(ctx, c, offer, reading); err != nil {
				return err
			}
		}
	}
	if len(r.trials) == 0 {
		return fmt.Errorf("there is no detector and reading that is wanted and that both ports offer")
	}
	return nil
}

// add makes the trials of a law in a reading: none where the ports cannot be asked, and one for each change of a port.
func (r *campaign) add(ctx context.Context, c cases.Case, offer spec.Offer, reading spec.Reading) error {
	of, err := r.target(r.Source, offer, reading, func(h *Fuzzer) error {
		h.known = r.isKnown
		if r.Against {
			h.compare(ctx, comparison{h.Pair, r.Reference})
		}
		return r.fix(ctx, h)
	})
	if err != nil {
		return err
	}
	for place, check := range of.fuzzers[0].Checks {
		if check.ID == checkOf(c.Detector, c.ID) {
			r.trials = append(r.trials, newTrial(c, of, place))
		}
	}
	return nil
}

// fix has every session of a fuzzer get the configuration of the campaign, which the oracle must accept. Laws that
// change settings are left out.
func (c Campaign) fix(ctx context.Context, h *Fuzzer) error {
	if c.Config == nil {
		return nil
	}
	session, err := h.Oracle.Open(ctx, h.Detector, h.Reading, *c.Config)
	if err != nil {
		return &ConfigError{fmt.Errorf("%s (%s) with the configuration %s: %w", h.Detector, h.Reading, *c.Config, err)}
	}
	if err := session.Close(ctx); err != nil {
		return fmt.Errorf("close a session of the oracle: %w", err)
	}
	draw := h.Draw
	h.Draw = func(t *rapid.T) Subject {
		s := draw(t)
		if !s.IsCall() {
			s.Config = *c.Config
		}
		return s
	}
	h.Checks = slices.DeleteFunc(slices.Clone(h.Checks), func(check Check) bool {
		law, isLaw := laws.LawByID(check.ID)
		return isLaw && law.Changes != nil
	})
	for i, check := range h.Checks {
		h.Checks[i].About = func(s Subject) bool {
			return (s.IsCall() || s.Config.String() == c.Config.String()) && check.About(s)
		}
	}
	return nil
}

// ConfigError says that the oracle refuses the configuration of a campaign.
type ConfigError struct{ error }

// Unwrap returns the refusal.
func (e *ConfigError) Unwrap() error { return e.error }

// roundChecks is how many subjects agreement gets before the next round: enough that most faults are found in the first
// one, few enough that every detector is looked at within seconds. Laws get a part of them.
const roundChecks = 500

// enough is how often the same counterexample is found again before its check is left out: looking further would find
// nothing else.
const enough = 3

// run goes on with rounds until the time is up, no check is left, or a port cannot be asked.
func (r *campaign) run(ctx context.Context) error {
	timed, cancel := context.WithDeadline(ctx, r.start.Add(r.For))
	defer cancel()
	for round := uint64(0); timed.Err() == nil && len(r.left()) > 0; round++ {
		if err := r.round(ctx, timed, r.Seed+round); err != nil {
			return err
		}
	}
	return nil
}

// left returns the trials that may still find something new.
func (r *campaign) left() []*trial {
	return slices.DeleteFunc(slices.Clone(r.trials), func(t *trial) bool { return t.again >= enough })
}

// round has the workers try what is left on further subjects, and takes what they find. When the time is up, trials
// that nobody has taken are left. The error is that of the first trial with one; what the others found is kept.
func (r *campaign) round(ctx, timed context.Context, seed uint64) (err error) {
	left := r.left()
	r.budget.Seeds = []int64{int64(seed)}
	for _, t := range left {
		t.rounds, t.result, t.made = t.of.rounds(r.budget, t.place), conformance.Result{}, nil
	}
	r.each(ctx, timed, left)
	for _, t := range left {
		switch {
		case t.made == nil:
		case r.seen[t.made.Key()]:
			t.again++
		default:
			r.seen[t.made.Key()] = true
			r.found = append(r.found, *t.made)
		}
		err = cmp.Or(err, t.err)
	}
	return err
}

// keep makes a case of a counterexample that is new.
func (r *campaign) keep(ctx context.Context, t *trial, worker int, c Counterexample) error {
	if r.seen[c.Key()] {
		t.made = &Found{Counterexample: c}
		return nil
	}
	made, err := t.fuzzers[worker].found(ctx, t.check(worker), c)
	if err == nil {
		t.made = made
	}
	return err
}

// found makes a case of a counterexample. Of a difference from an older port it says which of both is right, and the
// case holds what the reference says if it decides.
func (h *Fuzzer) found(ctx context.Context, check Check, c Counterexample) (f *Found, err error) {
	f = &Found{Counterexample: c}
	oracle := h.Oracle
	switch {
	case h.vs == nil:
	case c.Finding.Old && c.Finding.Status() != conformance.Failed: // nothing that the new port could have mended
		oracle = h.Port
	case c.Finding.isDifference() || c.Finding.Old:
		if f.Change, err = h.vs.changeOf(ctx, h, c); err != nil {
			return nil, err
		}
		if f.Sides, _, err = h.vs.sides(ctx, h, c); err != nil {
			return nil, err
		}
		switch {
		case f.Change != conformance.Unspecified:
			oracle = h.vs.reference
		case c.Finding.Old: // it would be lost again
			oracle = h.Port
		}
	}
	f.Case, err = h.Case(ctx, oracle, check, c)
	if f.Change != "" {
		f.Case.Why = fmt.Sprintf("Two versions of a port differ here (%s: %s). %s", f.Change, c.Finding.Place(), sayHere)
	}
	return f, err
}

// isKnown reports whether the case of a counterexample is known, and notes that it was met.
func (r *campaign) isKnown(c *Counterexample) bool {
	id := blank(*c).ID
	if r.Known == nil || !r.Known(id, c.Subject.Reading) {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.met[id] = true
	return true
}

// tell reports the progress after a trial. No further one is begun where the port could not be asked.
func (r *campaign) tell(t *trial) bool {
	r.checks++
	if r.Progress != nil {
		r.Progress(r.progress())
	}
	return t.err == nil
}

func (r *campaign) progress() Progress {
	p := Progress{Checks: r.checks, Findings: len(r.found), Known: len(r.met), Elapsed: time.Since(r.start)}
	p.Lost, _, p.Losses = r.losses.so()
	for _, t := range r.trials {
		p.Traces += int(t.tally.sessions.Load())
		p.Calls += int(t.tally.calls.Load())
		p.Events += int(t.tally.events.Load())
		p.Verdicts += int(t.tally.verdicts.Load())
	}
	return p
}
