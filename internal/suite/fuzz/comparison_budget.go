package fuzz

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// What the comparison of two ports bears before it leaves the rest undecided: as much as a run of the suite does.
const (
	mostHangs    = 3  // answers that did not come in time: each was waited for
	mostFalls    = 20 // of one detector in one reading: cases that bring a port down; of all, losses that none shows
	mostBreaches = 3  // of one detector in one reading: cases that make a port break the protocol
)

// ask compares the ports on the subject of a case. If one of them is lost, both are asked again, in a fresh process
// where that is needed: what the same port does once more, the case has caused; what it does not, accuses nobody.
func (p *pairing) ask(ctx context.Context, h *Fuzzer, s Subject) (*Finding, error) {
	var before *Finding
	for {
		finding, err := h.finding(ctx, h.Checks[0], s)
		isLost := err == nil && finding != nil && finding.Gone != nil
		isAgain := isLost && before != nil && finding.Old == before.Old
		if err == nil && before != nil && !isAgain {
			p.losses.add(before)
		}
		if !isLost || isAgain || finding.isBreach() || p.worn() != "" {
			return finding, err
		}
		before = finding
	}
}

// worn says that the ports were lost too often, for no reason that a case shows; it is empty where they were not.
func (p *pairing) worn() string {
	isHang := func(r conformance.Result) bool { return r.Status == conformance.Undecided && r.File != "" }
	lost, hangs, _ := p.losses.so()
	switch {
	case lists.Count(p.unlike, isHang)+hangs >= mostHangs:
		return fmt.Sprintf("not run: a port gave no answer in time %d times", mostHangs)
	case lost >= mostFalls:
		return fmt.Sprintf("not run: the ports were lost %d times, and no case shows why", lost)
	default:
		return ""
	}
}

// accuse notes in a result that a port gave no answer in time, or broke the protocol.
func (f *Finding) accuse(result *conformance.Result) {
	result.Status, result.Reason, result.Failure = f.Status(), f.whose()+"the adapter "+f.Gone.What(), nil
	if f.Status() == conformance.Broken {
		result.Clauses = []string{cmp.Or(f.Gone.Clause, verdicts)}
	}
}

// settle gives a result to a case that could not be compared. If a port does not start again, the first case says so,
// and no further one is compared.
func (p *pairing) settle(err error, result *conformance.Result) {
	if finding, ok := errors.AsType[*Finding](err); ok && finding.Gone != nil {
		finding.accuse(result) // it was lost while it was asked what it says
		if !finding.isSilence() && !finding.isBreach() {
			p.losses.add(finding)
			result.Status = conformance.Undecided
		}
		return
	}
	result.Reason, result.Failure = err.Error(), nil
	switch conformance.OutcomeOf(err) {
	case conformance.SuiteFault:
		result.Status = conformance.Faulty
	case conformance.AdapterFault:
		result.Status = conformance.Broken
		p.noStart = result.Reason
	default:
		result.Status = conformance.Undecided
		p.noStart = result.Reason
	}
}

// hasFallen reports whether the case of a result brought a port down.
func hasFallen(r conformance.Result) bool {
	return r.Status != conformance.Broken && r.Failure != nil && r.Reason != ""
}

// whyNot says why a case is not compared; it is empty where there is no reason.
func (p *pairing) whyNot(ctx context.Context, c cases.Case, reading spec.Reading) string {
	isBroken := func(r conformance.Result) bool { return r.Status == conformance.Broken }
	alike := lists.Filter(p.unlike, func(r conformance.Result) bool {
		return r.Detector == c.Detector && r.Reading == reading
	})
	switch {
	case ctx.Err() != nil:
		return "not run: " + stdio.WhyEnded(ctx)
	case p.noStart != "":
		return "not run: " + p.noStart
	case lists.Count(alike, isBroken) >= mostBreaches:
		return fmt.Sprintf("not run: an adapter broke the protocol in %d cases of %s in the reading %s", mostBreaches,
			c.Detector, reading)
	case lists.Count(alike, hasFallen) >= mostFalls:
		return fmt.Sprintf("not run: cases of %s in the reading %s brought a port down %d times", c.Detector,
			reading, mostFalls)
	default:
		return p.worn()
	}
}
