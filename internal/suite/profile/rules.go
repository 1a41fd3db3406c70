package profile

import (
	"github.com/loopstone/loopstone/reference/composed"
	"github.com/loopstone/loopstone/reference/stream"
	"github.com/loopstone/loopstone/spec"
)

// RulesOf reads a configuration that composed accepts; another one has no rules.
func RulesOf(config spec.Value) []composed.Rule {
	row, _ := spec.DefinitionOf(spec.Composed)
	settings, _ := row.Offer().Read(spec.Code, config)
	rules, _ := composed.RulesOf(settings)
	return rules
}

// StreamOf reads a configuration that stream accepts; another one has no rules.
func StreamOf(config spec.Value) stream.Config {
	row, _ := spec.DefinitionOf(spec.Stream)
	settings, _ := row.Offer().Read(spec.Code, config)
	return stream.ConfigOf(settings)
}
