package generate

import (
	"slices"

	"github.com/loopstone/loopstone/internal/laws"
	"github.com/loopstone/loopstone/spec"
)

// Most traces are short, with low thresholds and small windows: a boundary is the same boundary at three events as at
// thirty, and several short traces are played in the time of a long one. The long ones are there for what is reached in
// no other way: default windows, counts of two digits, texts that grow.
const (
	shortLength = 12 // how long a short trace is at most, but for those in which two letters take turns
	usualLength = 60 // how long a trace is at most, but for the rare ones that fill the evidence
	lowSetting  = 3  // the highest number in the configuration of a short trace, where lower ones are allowed
)

// trace draws a trace with, seldom, one fault in its configuration or in one of its events.
func (d *draft) trace() laws.Trace {
	d.long = d.oneIn(4)
	t := laws.Trace{Detector: d.ID, Reading: d.reading, Config: d.config()}
	d.marks = d.marksOf(t.Config)
	if d.world.swaps != nil {
		d.swaps = d.world.swaps(d.reading, d.in(t.Config))
	}
	d.most = d.length()
	if d.oneIn(128) {
		t.Config = d.enlarge(t.Config)
	}
	d.castEvents()
	d.arrange()
	t.Steps = d.steps
	if d.world.prelude != nil && d.oneIn(1024) {
		t.Steps = slices.Concat(d.world.prelude(), d.steps)
	}
	switch {
	case d.oneIn(32):
		t.Config = d.faultyConfig(t.Config)
	case d.oneIn(32):
		d.breakOne(t.Steps)
	}
	return t
}

// length returns how many steps the trace shall have: few, or around what decides something, or any number.
func (d *draft) length() int {
	switch {
	case !d.long:
		return d.fewSteps()
	case d.oneIn(4):
		return d.between(0, usualLength)
	case d.maybe():
		return min(pick(d.dice, d.marks)+pick(d.dice, d.marks)+d.below(6), usualLength)
	default:
		return d.between(1, 24)
	}
}

// fewLengths begin with those at which low thresholds are reached and small windows are left.
var fewLengths = []int{6, 5, 4, 7, 8, 3, 9, 2, 10, 1, 0, 11, 12}

func (d *draft) fewSteps() int {
	if d.maybe() {
		return pick(d.dice, fewLengths)
	}
	return min(pick(d.dice, d.marks)+d.below(4), shortLength)
}

// enlarge makes the trace longer than evidence may be, and the window large enough to see that.
func (d *draft) enlarge(config spec.Value) spec.Value {
	const large = spec.MaxEvidence + 20
	d.most = d.between(spec.MaxEvidence, 2*spec.MaxEvidence+60)
	d.marks = []int{1, 2, 3, large, 2 * large}
	window, bounded := d.Window()
	if !bounded || !d.offer.HasSetting(window.Name) {
		return config
	}
	if config.IsAbsent() {
		config = spec.ObjectValue()
	}
	return config.With(window.Name, spec.IntValue(large))
}

// arrange fills the trace with motifs of its letters.
func (d *draft) arrange() {
	fewest := 1
	if d.turns || d.maybe() {
		fewest = 2
	}
	letters := make([]letter, d.between(fewest, 5))
	for i := range letters {
		letters[i] = d.world.letter(d)
	}
	m := melody{letters: letters, perturbed: d.oneIn(2), interrupted: d.oneIn(8)}
	for len(d.steps) < d.most {
		d.motif(m)
	}
	d.steps = d.steps[:d.most]
}

// emit appends an event for the agent whose turn it is.
func (d *draft) emit(event spec.Value) {
	if d.timed && d.maybe() {
		event = event.With("at", pick(d.dice, times))
	}
	d.steps = append(d.steps, laws.Step{Session: d.agent, Event: event})
}

// reset appends a reset.
func (d *draft) reset() { d.steps = append(d.steps, laws.Step{Session: d.agent}) }
