package rulecases

import (
	"iter"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// decider looks for traces on which a port that has another configuration than the declared one gives another verdict.
type decider struct {
	*Declaration

	declared spec.Detector
	rules    []loneRule     // of stream, one that stands for the configuration
	known    [][]spec.Event // the traces that the port is asked anyway
	budget   *budget
}

// loneRule is a rule of composed without the others.
type loneRule struct {
	rule
	weight   int
	detector spec.Detector
	told     []variation // how traces are told so that earlier rules do not see what it does
}

func newDecider(of *Declaration, known []cases.Case) *decider {
	d := &decider{Declaration: of}
	d.declared, _ = open(d.Detector, d.Fixed)
	for _, c := range known {
		if steps := laws.StepsOf(c); !slices.ContainsFunc(steps, laws.Step.IsReset) {
			d.learn(laws.Trace{Steps: steps}.Events())
		}
	}
	slices.SortStableFunc(d.known, func(a, b []spec.Event) int { return sizeOf(a) - sizeOf(b) }) // what costs least first
	if d.Detector.Row() == spec.Stream {
		d.rules = []loneRule{{rule{written: d.Fixed}, d.weight, d.declared, nil}}
		return d
	}
	for i, r := range rulesOf(d.Fixed) {
		config := ruleAlone(r.written, i)
		detector, _ := open(d.Detector, config)
		d.rules = append(d.rules, loneRule{r, weightOfRules(config), detector, toldOf(d.witnesses, r.Name)})
	}
	return d
}

// toldOf returns the variations in which rungs of a rule speak, and the plain one.
func toldOf(witnesses []Witness, rule string) []variation {
	var list []variation
	for _, w := range witnesses {
		if w.Rule == rule && w.told != 0 && !slices.Contains(list, w.told) {
			list = append(list, w.told)
		}
	}
	return append(list, 0)
}

// mostKnown is how long a known trace is, in events and characters, that is played for every change.
const mostKnown = 1000

// learn adds a trace to the known ones.
func (d *decider) learn(trace []spec.Value) {
	d.known = append(d.known, decode(trace))
}

// open returns the reference's detector with a configuration, and why the reference refuses it.
func open(id spec.DetectorID, config spec.Value) (spec.Detector, error) {
	return reference.Implementation(id.Row()).New(spec.Code, config)
}

// changed is a change with its detectors: its rule alone and, once it is needed, the whole of it.
type changed struct {
	change
	alone, whole spec.Detector
}

// differs returns how many events it takes until the detectors disagree on a trace; 0 if they do not. What one rule
// says alone is played first: it costs less, and few rules are kept from speaking by others.
func (d *decider) differs(by *changed, events []spec.Event) int {
	one := d.rules[by.rule]
	if n := d.play(one.detector, by.alone, events, one.weight); n == 0 || len(d.rules) == 1 {
		return n
	}
	if by.whole == nil {
		d.budget.spend(opening, d.weight)
		by.whole, _ = open(d.Detector, by.change.whole(d.Detector, d.Fixed))
	}
	if by.whole == nil {
		return 0 // two rules have one name: there is no such port
	}
	return d.play(d.declared, by.whole, events, d.weight)
}

func (d *decider) play(one, other spec.Detector, events []spec.Event, weight int) int {
	d.budget.spend(sizeOf(events), 2*weight)
	one.Reset()
	other.Reset()
	for i, e := range events {
		if !d.equal(one.Observe(e), other.Observe(e)) {
			return i + 1
		}
	}
	return 0
}

// equal reports whether two verdicts are the same to who compares the members that the port declares.
func (d *decider) equal(a, b spec.Verdict) bool {
	if !a.Loop && !b.Loop {
		return true
	}
	a.Evidence, b.Evidence = nil, nil
	return d.Declared(a.Value()).Equal(d.Declared(b.Value()))
}

// decode returns a trace as detectors are told it.
func decode(trace []spec.Value) []spec.Event {
	return lists.Map(trace, func(v spec.Value) spec.Event {
		event, _ := spec.DecodeEvent(v) // it is one
		return event
	})
}

// found is how the search for a change ended: with a trace whose last event decides it, or without one since the known
// traces decide it, since the search was cut, or since none of all candidates does.
type found struct {
	trace      []spec.Value
	known, cut bool
	beyond     bool // a number keeps the traces that it is about from being made
}

// seek looks for a trace that decides a change.
func (d *decider) seek(c change) found {
	if d.budget.isSpent() {
		return found{cut: true}
	}
	d.budget.spend(opening, 1)
	alone, _ := open(d.Detector, c.alone(d.Detector))
	by := &changed{change: c, alone: alone}
	for _, known := range d.known {
		switch {
		case d.budget.isSpent():
			return found{cut: true}
		case sizeOf(known) > mostKnown && !strings.HasPrefix(c.member, "pattern"): // it is about a window
		case d.differs(by, known) > 0:
			return found{known: true}
		}
	}
	for candidate := range d.candidates(c) {
		if d.budget.isSpent() {
			return found{cut: true}
		}
		n := d.differs(by, decode(candidate))
		if n == 0 {
			continue
		}
		if trace := d.shrunk(by, candidate[:n]); fits(trace) && d.asks(trace) {
			return found{trace: trace}
		}
	}
	return found{beyond: d.isBeyond(c), cut: d.budget.isSpent()}
}

// isBeyond reports whether a number of a change keeps the traces that it is about from being made.
func (d *decider) isBeyond(c change) bool {
	most := MostEvents / 2
	switch {
	case d.Detector.Row() == spec.Stream:
		most = MostCharacters / 2
	case strings.HasSuffix(c.member, "prefix"):
		most = longestText
	}
	number := func(v spec.Value) int {
		for name := range strings.SplitSeq(c.member, ".") {
			v = within(v, name)
		}
		n, _ := v.Int()
		return n
	}
	return max(number(c.settings), number(d.rules[c.rule].written)) > most
}

// mostOfChange bounds the search for one change, for each rule; no search takes more than a part of what is left.
const (
	mostOfChange  = 50_000
	partsOfBudget = 16
)

// mostShrunk bounds the traces that are made shorter: one that is longer shows a count, and needs its events.
const mostShrunk = 60

// shrunk leaves out one event after the other, as long as the change is decided.
func (d *decider) shrunk(by *changed, trace []spec.Value) []spec.Value {
	if d.Detector.Row() == spec.Stream {
		return trace
	}
	for i := 0; i < len(trace) && len(trace) <= mostShrunk && !d.budget.isSpent(); {
		shorter := slices.Delete(slices.Clone(trace), i, i+1)
		if n := d.differs(by, decode(shorter)); n > 0 && fits(shorter[:n]) && d.asks(shorter[:n]) {
			trace = shorter[:n]
		} else {
			i++
		}
	}
	return trace
}

// candidates returns the traces that may decide a change.
func (d *decider) candidates(c change) iter.Seq[[]spec.Value] {
	if d.Detector.Row() == spec.Stream {
		return slices.Values(d.streams(c))
	}
	return func(yield func([]spec.Value) bool) {
		p := pair{d.rules[c.rule].rule, rulesOf(c.alone(d.Detector))[0]}
		for _, v := range d.rules[c.rule].told {
			speller := newSpeller(p, d.Offer, v)
			for w := range p.words(len(speller.alphabet)) {
				trace, ok := speller.spell(w)
				if !ok {
					d.budget.spend(len(trace), 1)
				}
				if d.budget.isSpent() || ok && !yield(trace) {
					return
				}
			}
		}
	}
}
