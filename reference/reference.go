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

// Implementations returns the fast detectors, in the order of the specification.
func Implementations() []spec.Implementation {
	return []spec.Implementation{
		fastfingerprint.Implementation(),
		fastsignature.Implementation(),
		fasthistory.Implementation(),
		fastcrow.Implementation(),
		fastswarm.Implementation(),
		fastralph.Implementation(),
		fastguards.Implementation(),
		fastcomposed.Implementation(),
		faststream.Implementation(),
	}
}

// Port returns the reference: every detector, reading and feature of the specification. Beside them, it has the
// profiles that the offers name, with their configurations.
func Port(profiles ...spec.Offer) *spec.Host {
	detectors := Implementations()
	return host(append(detectors, fixed(detectors, profiles)...)...)
}

// Profiles returns the profiles that the offers name, without the other detectors.
func Profiles(profiles ...spec.Offer) *spec.Host {
	return host(fixed(Implementations(), profiles)...)
}

// Rules returns the plain rules of the same detectors. They give the same verdicts, in a time that grows with the
// square of the trace, and have no snapshots.
func Rules(profiles ...spec.Offer) *spec.Host {
	rules := []spec.Implementation{
		fingerprint.Rules(),
		signature.Rules(),
		history.Rules(),
		crow.Rules(),
		swarm.Rules(),
		ralph.Rules(),
		guards.Rules(),
		composed.Rules(),
		stream.Rules(),
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
