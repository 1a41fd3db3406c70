// Package tracegen draws what the fuzzer plays: traces and calls of functions that reach the rare rules. A uniformly
// random trace repeats nothing, and a loop detector is about what repeats; so a trace here has an alphabet of a few
// templates, arranged in runs, cycles, near-repeats and noise whose lengths lie around the thresholds and windows of
// its own configuration.
//
// Whatever is drawn lies within the specification. Characters are assigned in Unicode 14, numbers are such as every
// port of the offered features can tell apart. A few subjects have one fault each, in an event, in the configuration or
// in the arguments of a function, and must be refused.
package tracegen

import (
	"maps"
	"slices"
	"sync"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/spec"
)

// For returns a function that draws subjects for a port that makes this offer: mostly traces of the offered detector,
// else calls of those of its functions that the offered features include. What needs a feature that is not offered is
// not drawn. The same random choices give the same subject.
//
// For a detector that the specification does not have, it draws events of every type. It assumes that the reading is
// one of the detector's, and panics otherwise. The function may be used by several goroutines at once.
func For(offer spec.Offer, reading spec.Reading) func(*rapid.T) fuzz.Subject {
	s := newScope(offer, reading)
	return func(t *rapid.T) fuzz.Subject {
		d := &draft{dice: dice{t}, scope: s}
		if len(s.functions) > 0 && d.oneIn(8) {
			return d.functionCall()
		}
		return fuzz.Subject{Trace: d.trace()}
	}
}

// scope is what all subjects of one offer have in common.
type scope struct {
	spec.Definition
	reading   spec.Reading
	offer     spec.Offer
	settings  []spec.Parameter // that the port has, be it not able to be set
	model     model
	numbers   []string // those that may stand in the arguments of a tool call, as JSON
	functions []string // sorted
	ruled     []string // the tools that rules name
	fixed     []int    // the thresholds and windows of the port's own configuration
}

func newScope(offer spec.Offer, reading spec.Reading) *scope {
	definition := offer.Definition()
	if !slices.Contains(definition.Readings, reading) {
		panic("generate: the specification has no " + string(reading) + " reading of " + string(offer.Detector))
	}
	s := &scope{Definition: definition, reading: reading, offer: offer, model: neutral, numbers: everyNumber}
	if _, specified := spec.DefinitionOf(offer.Detector); specified {
		s.model = modelOf(definition)
		s.ruled = ruledTools(offer.Fixed)
	}
	if !offer.Fixed.IsAbsent() {
		composed, _ := spec.DefinitionOf(spec.Composed)
		s.fixed = countsIn(spec.Parameter{Members: composed.Settings}, offer.Fixed)
	}
	s.settings = slices.DeleteFunc(definition.SettingsIn(reading), func(p spec.Parameter) bool {
		return neverDrawn(p) || p.Needs != "" && !slices.Contains(offer.Features, p.Needs)
	})
	if !definition.Has(spec.IntFloat) || slices.Contains(offer.Features, spec.IntFloat) {
		s.numbers = slices.Concat(everyNumber, s.model.numbers)
	}
	for _, name := range slices.Sorted(maps.Keys(definition.Functions)) {
		if slices.Contains(offer.Features, definition.Functions[name]) {
			s.functions = append(s.functions, name)
		}
	}
	return s
}

// draft is a subject while it is drawn.
type draft struct {
	dice
	*scope

	marks        []int // numbers of events about which something may change: thresholds, windows, what follows from them
	alternations int   // how often two templates must take turns to be a loop; 0 where the detector has no such rule
	steps        []laws.Step
	most         int // length of the trace; what goes beyond is left out
	long         bool
	common
}

func (d *draft) functionCall() fuzz.Subject {
	name := pick(d.dice, d.functions)
	return fuzz.Subject{
		Trace:    laws.Trace{Detector: d.ID, Reading: d.reading},
		Function: name,
		Args:     d.arguments(name),
	}
}

// dice makes random choices. They cost what a draw of rapid costs, which is why there are no generators of generators:
// a hundred choices must not take longer than playing what they make.
//
// Choices lean a little to the small side, so that lists begin with what is simple; oneIn does not lean.
type dice struct{ t *rapid.T }

// maxSides is the largest n of below.
const maxSides = 1024

// numberBelow holds the generator of the numbers below n at place n.
var numberBelow = sync.OnceValue(func() *[maxSides + 1]*rapid.Generator[uint] {
	var all [maxSides + 1]*rapid.Generator[uint]
	for n := 1; n <= maxSides; n++ {
		all[n] = rapid.UintRange(0, uint(n-1))
	}
	return &all
})

var coin = rapid.Bool()

// below returns a number from 0 to n-1. It assumes that n is 1 to maxSides.
func (d dice) below(n int) int { return int(numberBelow()[n].Draw(d.t, "")) }

// between returns a number from least to most.
func (d dice) between(least, most int) int { return least + d.below(most-least+1) }

// maybe is true half the time.
func (d dice) maybe() bool { return coin.Draw(d.t, "") }

// oneIn is true one time in n, which must be a power of two. It shrinks to false.
func (d dice) oneIn(n int) bool {
	for ; n > 1; n /= 2 {
		if !d.maybe() {
			return false
		}
	}
	return true
}

// pick returns one of the list, which must not be empty.
func pick[T any](d dice, list []T) T { return list[d.below(len(list))] }

// pickJSON returns one of the values, which are written as JSON: a program that draws none parses none.
func pickJSON(d dice, values []string) spec.Value { return spec.MustParse(pick(d, values)) }
