// Package reference joins the reference detectors to one [spec.Port]. Each detector has a package, written to be read
// beside the clauses, in their order: composed, crow, fingerprint, guards, history, ralph, signature, stream and swarm.
// Three packages in reference/parts help them: memory has what they remember events in, jstext treats text as
// JavaScript does (for signature), and pyjson writes values as Python does (for crow and history). D1 to D5 are the
// source documents (loopstone show D1). The reference serves, replays, is measured, and is the oracle that ports are
// compared with.
package reference

import (
	"slices"

	"github.com/loopstone/loopstone/reference/composed"
	"github.com/loopstone/loopstone/reference/crow"
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
	id        spec.DetectorID
	open      spec.Constructor
	functions map[string]spec.Function
}

// rows returns the detectors in the order of the specification.
func rows() []row {
	return []row{
		{spec.Fingerprint, fingerprint.New, fingerprint.Functions},
		{spec.Signature, signature.New, signature.Functions},
		{spec.History, history.New, history.Functions},
		{spec.Crow, crow.New, crow.Functions},
		{spec.Swarm, swarm.New, swarm.Functions},
		{spec.Ralph, ralph.New, ralph.Functions},
		{spec.Guards, guards.New, nil},
		{spec.Composed, composed.New, nil},
		{spec.Stream, stream.New, nil},
	}
}

// Implementations returns the detectors, in the order of the specification.
func Implementations() []spec.Implementation {
	var list []spec.Implementation
	for _, d := range rows() {
		list = append(list, spec.Define(d.id, d.open, d.functions))
	}
	return list
}

// Implementation returns the detector with this id, which the specification has.
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
