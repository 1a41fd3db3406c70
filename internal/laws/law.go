package laws

import (
	"context"
	"fmt"
	"slices"

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

	// Check plays the trace, and others made from it, and returns a [*Breach] where the law is broken. Any other error
	// means that the port could not be asked. It assumes that the law is about the trace.
	Check func(ctx context.Context, port spec.Port, t Trace) error
}

// Exception is a detector and reading for which a law does not hold, which is a finding in itself.
type Exception struct {
	Detector       spec.DetectorID
	Reading        spec.Reading
	Why            string
	Counterexample Trace // breaks the law
}

// Breach is how a port broke a law.
type Breach struct {
	Law       string
	Step      int        // of the trace, from 0; -1 where it is none of them
	Want, Got spec.Value // what the law demands at this step, and what the port said
	Problem   string     // how the other trace was made
}

// Error returns the breach in one line. It holds nothing that differs from run to run.
func (b *Breach) Error() string {
	return fmt.Sprintf("law %s, step %d: %s: want %s, got %s", b.Law, b.Step+1, b.Problem, b.Want, b.Got)
}

// HoldsFor reports whether the law is about a detector in a reading, and is true there.
func (l Law) HoldsFor(detector spec.DetectorID, reading spec.Reading) bool {
	if len(l.Detectors) > 0 && !slices.Contains(l.Detectors, detector) {
		return false
	}
	// No port could be asked where the detector itself lacks a feature, or a setting that the law changes.
	definition, known := spec.DefinitionOf(detector)
	if known && !l.Askable(spec.Offer{Detector: detector, Features: definition.Features}) {
		return false
	}
	return !slices.ContainsFunc(l.Exceptions, func(e Exception) bool {
		return e.Detector == detector && e.Reading == reading
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
		return l.Own[detector]
	}
	return append([]string{l.Clause}, l.Own[detector]...)
}

// Askable reports whether a port that offers so much can be asked about the law.
func (l Law) Askable(o spec.Offer) bool {
	for _, f := range l.Needs {
		if !slices.Contains(o.Features, f) {
			return false
		}
	}
	return l.Changes == nil || len(l.Changed(o)) > 0
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
		swarmOrder, mergeLaws, evidenceHolds,
	}
}

// LawByID returns the law of that id and whether there is one.
func LawByID(id string) (Law, bool) {
	for _, l := range Laws() {
		if l.ID == id {
			return l, true
		}
	}
	return Law{}, false
}

// sameVerdicts compares the verdicts of two plays, event by event.
func sameVerdicts(law, problem string, want, got []spec.Value) error {
	for i := range want {
		if i >= len(got) || !want[i].Equal(got[i]) {
			breach := &Breach{Law: law, Step: i, Want: want[i], Problem: problem}
			if i < len(got) {
				breach.Got = got[i]
			}
			return breach
		}
	}
	return nil
}

// withoutEvidence returns the verdicts without the indices that they rest on, for laws that move events.
func withoutEvidence(verdicts []spec.Value) []spec.Value {
	bare := make([]spec.Value, len(verdicts))
	for i, v := range verdicts {
		bare[i] = v
		if !v.IsAbsent() {
			bare[i] = v.Without("evidence")
		}
	}
	return bare
}

// essence returns what every language must agree on whatever the texts are: loop, kind, count and similarity.
func essence(verdicts []spec.Value) []spec.Value {
	bare := make([]spec.Value, len(verdicts))
	for i, v := range verdicts {
		if v.IsAbsent() {
			continue
		}
		var members []spec.Member
		for _, name := range []string{"loop", "kind", "count", "similarity"} {
			if m := v.Get(name); !m.IsAbsent() {
				members = append(members, spec.Member{Name: name, Value: m})
			}
		}
		bare[i] = spec.ObjectValue(members...)
	}
	return bare
}
