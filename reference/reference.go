// Package reference joins the reference detectors to one [spec.Port]. It has each detector twice:
//
//   - reference/X has its rules and functions, written to be read beside the clauses, in their order. The verdict is a
//     function of the configuration and of all events since the last reset.
//   - reference/fast/X gives the same verdicts event by event, at a cost that does not grow, and has snapshots.
//     Property tests hold it equal to the rules.
//
// To know what a detector does, read the rules. The fast twins serve, replay and are measured.
package reference

import (
	"slices"

	"github.com/loopstone/loopstone/reference/composed"
	"github.com/loopstone/loopstone/reference/crow"
	fastcomposed "github.com/loopstone/loopstone/reference/fast/composed"
	fastcrow "github.com/loopstone/loopstone/reference/fast/crow"
	fastfingerprint "github.com/loopstone/loopstone/reference/fast/fingerprint"
	fastguards "github.com/loopstone/loopstone/reference/fast/guards"
	fasthistory "github.com/loopstone/loopstone/reference/fast/history"
	fastralph "github.com/loopstone/loopstone/reference/fast/ralph"
	fastsignature "github.com/loopstone/loopstone/reference/fast/signature"
	faststream "github.com/loopstone/loopstone/reference/fast/stream"
	fastswarm "github.com/loopstone/loopstone/reference/fast/swarm"
	"github.com/loopstone/loopstone/reference/fingerprint"
	"github.com/loopstone/loopstone/reference/guards"
	"github.com/loopstone/loopstone/reference/history"
	"github.com/loopstone/loopstone/reference/ralph"
	"github.com/loopstone/loopstone/reference/signature"
	"github.com/loopstone/loopstone/reference/stream"
	"github.com/loopstone/loopstone/reference/swarm"
	"github.com/loopstone/loopstone/spec"
)

// row is one detector of the specification.
type row struct {
	id          spec.DetectorID
	rules, fast spec.Constructor
	functions   map[string]spec.Function
	faster      map[string]spec.Function // the twin's own, if it has some
}

// rows returns the detectors in the order of the specification.
func rows() []row {
	return []row{
		{spec.Fingerprint, fingerprint.New, fastfingerprint.New, fingerprint.Functions, nil},
		{spec.Signature, signature.New, fastsignature.New, signature.Functions, nil},
		{spec.History, history.New, fasthistory.New, history.Functions, nil},
		{spec.Crow, crow.New, fastcrow.New, crow.Functions, nil},
		{spec.Swarm, swarm.New, fastswarm.New, swarm.Functions, nil},
		{spec.Ralph, ralph.New, fastralph.New, ralph.Functions, fastralph.Functions},
		{spec.Guards, guards.New, fastguards.New, nil, nil},
		{spec.Composed, composed.New, fastcomposed.New, nil, nil},
		{spec.Stream, stream.New, faststream.New, nil, nil},
	}
}

// Implementations returns the fast detectors, in the order of the specification.
func Implementations() []spec.Implementation {
	var list []spec.Implementation
	for _, d := range rows() {
		functions := d.functions
		if d.faster != nil {
			functions = d.faster
		}
		list = append(list, spec.Define(d.id, d.fast, functions))
	}
	return list
}

// Implementation returns the fast detector with this id, which the specification has.
func Implementation(id spec.DetectorID) spec.Implementation {
	all := Implementations()
	return all[slices.IndexFunc(all, func(d spec.Implementation) bool { return d.Detector == id })]
}

// Port returns the reference: every detector, reading and feature of the specification. Beside them, it has the
// profiles that the offers name, with their configurations.
func Port(profiles ...spec.Offer) *spec.Host {
	all := Implementations()
	return host(append(all, fixed(all, profiles)...)...)
}

// Profiles returns the profiles that the offers name, without the other detectors.
func Profiles(profiles ...spec.Offer) *spec.Host {
	return host(fixed(Implementations(), profiles)...)
}

// Rules returns the plain rules of the same detectors. They give the same verdicts, in a time that grows with the
// square of the trace, and have no snapshots.
func Rules(profiles ...spec.Offer) *spec.Host {
	var rules []spec.Implementation
	for _, d := range rows() {
		plain := spec.Define(d.id, d.rules, d.functions)
		plain.Offer = plain.Without(spec.Snapshots)
		rules = append(rules, plain)
	}
	return host(append(rules, fixed(rules, profiles)...)...)
}

func host(detectors ...spec.Implementation) *spec.Host {
	return spec.NewHost(spec.Description{
		Name:     "loopstone-reference",
		Version:  spec.Version,
		Language: "go",
		URL:      "https://github.com/loopstone/loopstone",
	}, detectors...)
}

// fixed returns the detectors that the offers stand for: each is one of the given detectors with the configuration that
// the offer has.
func fixed(detectors []spec.Implementation, offers []spec.Offer) []spec.Implementation {
	var list []spec.Implementation
	for _, offer := range offers {
		isBase := func(d spec.Implementation) bool { return d.Detector == offer.Detector.Row() }
		base := detectors[slices.IndexFunc(detectors, isBase)]
		row, _ := spec.DefinitionOf(offer.Detector)
		impl := base
		impl.Offer = row.Offer()
		impl.Features = base.Features
		impl.New = func(r spec.Reading, config spec.Value) (spec.Detector, error) {
			if _, err := impl.Read(r, config); err != nil { // it takes no settings
				return nil, err
			}
			return base.New(r, offer.Fixed)
		}
		list = append(list, impl)
	}
	return list
}
