package laws

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// Law is a sentence that is true of every trace.
type Law struct {
	ID         string
	Sentence   string
	Why        string                       // what goes wrong for users of a port that breaks it
	Clause     string                       // that says so for every detector; empty where none does
	Own        map[spec.DetectorID][]string // clauses that say so for one detector
	Detectors  []spec.DetectorID            // the law is about these; about all where there are none
	General    bool                         // it is also about detectors that the specification does not have
	Needs      []spec.Feature               // features without which a port cannot be asked
	Exceptions []Exception
	ByEvent    bool // a request for each event, which costs a port behind a pipe several times what other laws do

	// Changes says which settings the law changes by itself, of which a port must have one; nil where it changes none.
	Changes func(spec.Parameter) bool

	check func(a *asking, t Trace)
}

// Check plays the trace, and others made from it, and returns a [*Breach] where the law is broken. Any other error
// means that the port could not be asked. It assumes that the law is about the trace.
func (l Law) Check(ctx context.Context, port spec.Port, t Trace) error {
	a := &asking{ctx: ctx, port: port, law: l.ID}
	l.check(a, t)
	var breach *Breach
	if n := len(t.Steps); errors.As(a.err, &breach) && breach.Step >= n && n > 0 {
		breach.Step %= n
		breach.Problem += ", the trace repeated"
	}
	return a.err
}

// Exception is a detector and reading for which a law does not hold, which is a finding in itself.
type Exception struct {
	Detector       spec.DetectorID
	Reading        spec.Reading
	Why            string
	Counterexample Trace // breaks the law
}

// exception returns one whose counterexample has a configuration and events, as JSON.
func exception(d spec.DetectorID, r spec.Reading, why, config string, events ...string) Exception {
	t := Trace{Detector: d, Reading: r, Config: spec.MustParse(config)}
	for _, e := range events {
		t.Steps = append(t.Steps, Step{Event: spec.MustParse(e)})
	}
	return Exception{d, r, why, t}
}

// Breach is how a port broke a law.
type Breach struct {
	Law       string
	Step      int        // of the trace, from 0; -1 where it is none of them
	Want, Got spec.Value // what the law demands at this step, and what the port said
	Problem   string     // how the other trace was made
	Clause    string     // that the port breaks; empty where it is those of the law
	Refused   bool       // the port refused a request that every session accepts
}

// Error returns the breach in one line. It holds nothing that differs from run to run.
func (b *Breach) Error() string {
	return fmt.Sprintf("law %s, step %d: %s: want %s, got %s", b.Law, b.Step+1, b.Problem, b.Want, b.Got)
}

// HoldsFor reports whether the law is about a detector in a reading, and is true there.
func (l Law) HoldsFor(detector spec.DetectorID, reading spec.Reading) bool {
	if len(l.Detectors) > 0 && !slices.Contains(l.Detectors, detector.Row()) {
		return false
	}
	// No port could be asked where the detector itself lacks a feature, or a setting that the law changes.
	definition, known := spec.DefinitionOf(detector)
	if known && !l.Askable(spec.Offer{Detector: detector, Features: definition.Features}) {
		return false
	}
	return !slices.ContainsFunc(l.Exceptions, func(e Exception) bool {
		return e.Detector == detector.Row() && e.Reading == reading
	})
}

// IsFor reports whether a detector is judged by the law: one that the specification does not have only by general ones.
func (l Law) IsFor(detector spec.DetectorID) bool {
	_, known := spec.DefinitionOf(detector)
	return known || l.General
}

// ClausesFor returns the clauses that the law comes from for a detector: that of every detector, and its own.
func (l Law) ClausesFor(detector spec.DetectorID) []string {
	if l.Clause == "" {
		return l.Own[detector.Row()]
	}
	return append([]string{l.Clause}, l.Own[detector.Row()]...)
}

// Askable reports whether a port that offers so much can be asked about the law.
func (l Law) Askable(o spec.Offer) bool {
	isMissing := func(f spec.Feature) bool { return !slices.Contains(o.Features, f) }
	return !slices.ContainsFunc(l.Needs, isMissing) && (l.Changes == nil || len(l.Changed(o)) > 0)
}

// Changed returns the settings that the law changes, of those that a port has.
func (l Law) Changed(o spec.Offer) []string {
	var names []string
	for _, p := range o.Definition().Settings {
		if l.Changes(p) && o.HasSetting(p.Name) {
			names = append(names, p.Name)
		}
	}
	return names
}

// Laws returns all laws, in the order of their documentation.
func Laws() []Law {
	return []Law{
		keyOrder, determinism, prefix, batchSplit, resetIsFresh, isolation, neutralEvents,
		forgetting, thresholdMonotonicity, renaming, snapshotContinuation,
		swarmOrder, mergeLaws, evidenceHolds, streamCuts,
	}
}

// LawByID returns the law of that id and whether there is one.
func LawByID(id string) (Law, bool) {
	return lists.Find(Laws(), func(l Law) bool { return l.ID == id })
}

// asking is a law that asks a port. The first thing that is wrong is what comes of it: after that the port is asked
// nothing more, and what would be its answer is absent.
type asking struct {
	ctx  context.Context
	port spec.Port
	law  string
	err  error
}

// breach notes that the law is broken at a step, which is -1 where it is none.
func (a *asking) breach(step int, problem string, want, got spec.Value) {
	a.broke(Breach{Step: step, Want: want, Got: got, Problem: problem})
}

// broke notes how the law is broken.
func (a *asking) broke(b Breach) {
	if a.err == nil {
		b.Law = a.law
		a.err = &b
	}
}

// same demands equal verdicts of two plays, event by event.
func (a *asking) same(problem string, want, got []spec.Value) { a.sameFrom(0, problem, "", want, got) }

// sameFrom is same for plays that begin at a step of the trace, and says which clause the port breaks otherwise.
func (a *asking) sameFrom(first int, problem, clause string, want, got []spec.Value) {
	for i := range want {
		var other spec.Value
		if i < len(got) {
			other = got[i]
		}
		if !agree(want[i], other) {
			a.broke(Breach{Step: first + i, Want: want[i], Got: other, Problem: problem, Clause: clause})
		}
	}
}

// agree reports whether two verdicts are the same, as far as a port must agree with itself ([spec.Agrees]).
func agree(v, w spec.Value) bool {
	if v.Equal(w) {
		return true
	}
	return len(v.Members()) > 0 && len(v.Members()) == len(w.Members()) &&
		!slices.ContainsFunc(v.Members(), func(m spec.Member) bool { return !spec.Agrees(m.Name, m.Value, w.Get(m.Name)) })
}

// play returns what the port says to a trace.
func (a *asking) play(t Trace) []spec.Value { return a.tell(t, Play) }

// batches is play with at most so many events in one request.
func (a *asking) batches(t Trace, most int) []spec.Value {
	return a.tell(t, func(ctx context.Context, port spec.Port, t Trace) ([]spec.Value, error) {
		return play(ctx, port, t, most)
	})
}

// telling is a way to tell a port a trace, such as [Play].
type telling func(context.Context, spec.Port, Trace) ([]spec.Value, error)

// tell tells the port a trace, and returns a verdict for each step.
func (a *asking) tell(t Trace, how telling) (verdicts []spec.Value) {
	if a.err == nil {
		verdicts, a.err = how(a.ctx, a.port, t)
		if breach, refused := a.breachOf(a.err); refused {
			a.err = breach
		}
	}
	if a.err != nil {
		return make([]spec.Value, len(t.Steps))
	}
	return verdicts
}

// offer returns what the port offers of a trace's detector.
func (a *asking) offer(t Trace) spec.Offer {
	if a.err != nil {
		return spec.Offer{}
	}
	var description spec.Description
	description, a.err = a.port.Describe(a.ctx)
	offer, _ := description.Offer(t.Detector)
	return offer
}

// withoutEvidence returns the verdicts without the indices that they rest on, for laws that move events.
func withoutEvidence(verdicts []spec.Value) []spec.Value {
	return lists.Map(verdicts, func(v spec.Value) spec.Value {
		if v.IsAbsent() {
			return v
		}
		return v.Without("evidence")
	})
}

// essence returns what every language must agree on whatever the texts are: loop, kind, count and similarity.
func essence(verdicts []spec.Value) []spec.Value {
	isAgreed := func(m spec.Member) bool {
		return slices.Contains([]string{"loop", "kind", "count", "similarity"}, m.Name)
	}
	return lists.Map(verdicts, func(v spec.Value) spec.Value {
		if v.IsAbsent() {
			return v
		}
		return spec.ObjectValue(lists.Filter(v.Members(), isAgreed)...)
	})
}
