package rulecases

import (
	"context"
	"slices"
	"unicode/utf8"

	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/reference/stream"
	"github.com/loopstone/loopstone/spec"
)

// The bounds of what is made for the rules that a port declares, whatever they say. docs/protocol.md names them.
const (
	MostEvents     = 2500   // of a trace
	MostCharacters = 70_000 // of the texts that are streamed in a trace
)

// How many steps the search for traces may take: an event, or a character of streamed text, costs one for each rule
// that observes it.
const (
	stepsOfConfig  = 5_000_000
	stepsOfRun     = 3 * stepsOfConfig
	stepsOfProfile = 4 * stepsOfConfig
)

// ended is why nothing was found for what the search did not get to.
const ended = "the search for a trace is bounded, and ended without one"

// budget is what is left of the steps that a search may take. Nothing is left when the context ends: the search then
// returns what it has, and its caller returns the context's error.
type budget struct {
	ctx  context.Context
	left int
}

// ofConfig takes the part of a configuration from the budget of a run. All rules that are the port's own take no more
// than three configurations. A profile has a budget of its own: the profiles are ours, and there are only so many.
func (b *budget) ofConfig(offer spec.Offer) *budget {
	if !offer.HasOwnRules() {
		return &budget{b.ctx, stepsOfProfile}
	}
	part := min(stepsOfConfig, b.left)
	b.left -= part
	return &budget{b.ctx, part}
}

// opening is what it costs to open a session, for each rule.
const opening = 50

// share lets a search have a part of the budget: at most so many steps. The search may spend more, and what it leaves
// stays in the budget.
func (b *budget) share(steps int, search func(part *budget)) {
	part := &budget{b.ctx, steps}
	search(part)
	b.left -= steps - part.left
}

// isSpent reports whether nothing is left.
func (b *budget) isSpent() bool { return b.left <= 0 || b.ctx.Err() != nil }

// spend pays for a trace of so many events and characters; weight is what each of them costs.
func (b *budget) spend(size, weight int) { b.left -= size * max(weight, 1) }

// sizeOf returns how many events and characters of streamed text a trace has.
func sizeOf(events []spec.Event) int {
	size := len(events)
	for i := range events {
		size += len(events[i].Text)
	}
	return size
}

// asking is how many times as much an event costs that a port is asked: it is written, read, answered and compared.
const asking = 8

// ask pays for a trace that the port is asked.
func (b *budget) ask(trace []spec.Value, weight int) {
	b.spend(asking*(opening+len(trace)+charactersOf(trace)), weight)
}

// weightOf is what an event costs, or a character of streamed text, with a configuration.
func weightOf(offer spec.Offer) int {
	if offer.Detector.Row() == spec.Composed {
		return weightOfRules(offer.Fixed)
	}
	return streamWeight(profile.StreamOf(offer.Fixed))
}

// weightOfRules is what an event costs with rules of composed: more where a rule looks at many items, tries many
// periods or has many rungs.
func weightOfRules(config spec.Value) int {
	weight := 0
	for _, r := range rulesIn(config) {
		number := func(member string) int {
			n, _ := r.Get("pattern").Get(member).Int()
			return max(0, min(n, MostEvents))
		}
		weight += 1 + max(0, number("to")-number("from"))/8 + len(r.Get("rungs").Items())/8
		switch r.Get("pattern").Get("sort").Text() {
		case "among", "revisit":
			weight += number("last") / 256
		}
	}
	return weight
}

// streamWeight is what a character costs: the search for periods and the comparison of chunks grow with the numbers.
func streamWeight(c stream.Config) int {
	weight := 1
	if slices.Contains(c.Rules, spec.KindTail) {
		weight += c.TailTo / 256
	}
	if slices.Contains(c.Rules, spec.KindChunk) {
		n := min(c.ChunkSize*min(c.ChunkCopies, MostCharacters), MostCharacters)
		weight += n/256 + n*n/2_000_000 // long chunks are compared at more places, too
	}
	return weight
}

// fits reports whether a trace keeps to the bounds.
func fits(trace []spec.Value) bool {
	return len(trace) <= MostEvents && charactersOf(trace) <= MostCharacters
}

// charactersOf returns how many characters of text are streamed in a trace.
func charactersOf(trace []spec.Value) int {
	characters := 0
	for _, event := range trace {
		characters += utf8.RuneCountInString(event.Get("text").Text())
	}
	return characters
}
