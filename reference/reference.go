// Package reference puts the reference detectors together as one [spec.Port]. Each detector has a package of its own,
// written to be read beside its clauses.
package reference

import (
	"github.com/loopstone/loopstone/reference/composed"
	"github.com/loopstone/loopstone/reference/crow"
	fastcomposed "github.com/loopstone/loopstone/reference/fast/composed"
	"github.com/loopstone/loopstone/reference/fingerprint"
	"github.com/loopstone/loopstone/reference/guards"
	"github.com/loopstone/loopstone/reference/history"
	"github.com/loopstone/loopstone/reference/ralph"
	"github.com/loopstone/loopstone/reference/signature"
	"github.com/loopstone/loopstone/reference/swarm"
	"github.com/loopstone/loopstone/spec"
)

// Implementations returns the reference detectors, in the order of the specification.
func Implementations() []spec.Implementation {
	return []spec.Implementation{
		fingerprint.Implementation(),
		signature.Implementation(),
		history.Implementation(),
		crow.Implementation(),
		swarm.Implementation(),
		ralph.Implementation(),
		guards.Implementation(),
		fastcomposed.Implementation(),
	}
}

// Port returns the reference: every detector, reading and feature of the specification.
func Port() *spec.Host { return host(Implementations()...) }

// Rules returns the plain rules of the detectors: they say the same, in a time that grows with the square of the trace,
// and have no snapshots.
func Rules() *spec.Host {
	return host(
		fingerprint.Rules(),
		signature.Rules(),
		history.Rules(),
		crow.Rules(),
		swarm.Rules(),
		ralph.Rules(),
		guards.Rules(),
		composed.Rules(),
	)
}

func host(detectors ...spec.Implementation) *spec.Host {
	return spec.NewHost(spec.Description{
		Name:     "loopstone-reference",
		Version:  spec.Version,
		Language: "go",
		URL:      "https://github.com/loopstone/loopstone",
	}, detectors...)
}
