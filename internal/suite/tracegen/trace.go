package tracegen

import (
	"fmt"
	"slices"
	"sync"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

// Most traces are short, with low thresholds and small windows: a boundary is the same boundary at three events as at
// thirty, and several short traces are played in the time of a long one. The long ones are there for what is reached in
// no other way: default windows, counts of two digits, texts that grow.
const (
	shortLength = 12 // how long a short trace is at most, but for those in which two templates take turns
	usualLength = 60 // how long a trace is at most, but for the rare ones that fill the evidence
	lowSetting  = 3  // the highest number in the configuration of a short trace, where lower ones are allowed
)

// trace draws a trace with, seldom, one fault in its configuration or in one of its events.
func (d *draft) trace() laws.Trace {
	d.long = d.oneIn(4)
	t := laws.Trace{Detector: d.ID, Reading: d.reading, Config: d.config()}
	d.marks = d.marksOf(t.Config)
	if d.model.alternations != nil {
		d.alternations = d.model.alternations(d.reading, d.in(t.Config))
	}
	d.most = d.length()
	if d.oneIn(128) {
		t.Config = d.enlarge(t.Config)
	}
	d.drawCommon()
	if ages := agesIn(t.Config, d.offer.Fixed); len(ages) > 0 {
		d.timed, d.times = true, timesAbout(pick(d.dice, ages))
	}
	d.arrange()
	t.Steps = d.steps
	if d.model.prefix != nil && d.oneIn(1024) {
		t.Steps = slices.Concat(d.model.prefix(), d.steps)
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
func (d *draft) length() int { return d.occurrences() * max(1, d.model.events) }

// occurrences returns how many templates the trace shall have.
func (d *draft) occurrences() int {
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

// arrange fills the trace with motifs of its templates.
func (d *draft) arrange() {
	fewest := 1
	if d.turns || d.maybe() {
		fewest = 2
	}
	templates := make([]template, d.between(fewest, 5))
	for i := range templates {
		templates[i] = d.newTemplate()
	}
	m := alphabet{templates: templates, perturbed: d.oneIn(2), interrupted: d.oneIn(8)}
	for len(d.steps) < d.most {
		d.motif(m)
	}
	d.steps = d.steps[:d.most]
}

// emit appends an event for the agent whose turn it is. Now and then, the event is only like
// those before.
func (d *draft) emit(event spec.Value) {
	if d.untilAlike--; d.untilAlike == 0 {
		event = d.alike(event)
		d.untilAlike = d.fromAlike()
	}
	if d.timed && d.maybe() {
		event = event.With("at", pickJSON(d.dice, d.times))
	}
	d.steps = append(d.steps, laws.Step{Session: d.agent, Event: event})
}

// common is who and what takes part in a trace.
type common struct {
	agents     int      // sessions
	agent      int      // whose turn it is
	timed      bool     // events have `at`
	times      []string // one of these, as JSON
	named      bool     // calls have ids, and results name them
	distracted bool     // events come in between that the templates know nothing of
	untilAlike int      // events before one that is only like those before
	turns      bool     // mostly two templates take turns
	longest    int      // length of an output that is compared as a text, in code points

	templates []func(*draft) template // those of the model, or some of them

	lastID spec.Value // of the latest call with one; absent before any
	nextID int        // number of freshID
	clock  int        // half seconds since the agents started
}

// drawCommon draws what the events of the trace have in common.
func (d *draft) drawCommon() {
	if d.agents = 1; d.oneIn(8) {
		d.agents = d.between(2, 3)
	}
	d.timed, d.times = d.oneIn(8), times
	d.named = d.maybe()
	d.distracted = d.oneIn(4)
	d.templates = d.model.templates
	if d.model.common != nil {
		d.model.common(d)
	}
	if !d.turns && (d.model.alternations == nil || d.maybe()) { // long alternations are rare enough
		d.untilAlike = 1 + d.fromAlike()
	}
}

var (
	reusedIDs = []string{"1", "2", "é", ""}
	unknownID = spec.StringValue("nobody")
)

func reusedID(d dice) spec.Value { return spec.StringValue(pick(d, reusedIDs)) }

// freshID returns the id of a call that is new: few traces have so many calls that ids come again.
func freshID(n int) spec.Value { return spec.StringValue(fmt.Sprintf("call-%d", n%128)) }

// id returns the id of a new call: mostly one that no call had before.
func (d *draft) id() spec.Value {
	if d.oneIn(4) {
		d.lastID = reusedID(d.dice)
	} else {
		d.lastID = freshID(d.nextID)
		d.nextID++
	}
	return d.lastID
}

// earlierID returns the id of some call, or of none.
func (d *draft) earlierID() spec.Value {
	switch {
	case d.oneIn(8):
		return unknownID
	case d.oneIn(4) || d.lastID.IsAbsent():
		return reusedID(d.dice)
	case d.oneIn(4) && d.nextID > 0:
		return freshID(max(d.nextID-1-d.below(4), 0))
	default:
		return d.lastID
	}
}

// callsWithIDs returns more calls with an id than the detector fingerprint has to remember, and a result of a call that
// there never was.
var callsWithIDs = sync.OnceValue(func() []laws.Step {
	const calls = 1000 + 10
	steps := make([]laws.Step, calls)
	for i := range steps {
		steps[i].Event = spec.ObjectValue(is(spec.ToolCall), says("tool", "bash"), says("id", fmt.Sprintf("id-%d", i)))
	}
	unknown := spec.MustParse(`{"type":"tool_result","content":"","ok":false,"call":"nobody"}`)
	return append(steps, laws.Step{Event: unknown})
})

// template is one of the few things that happen in a trace. Each call appends one more occurrence: equal to the others
// by every rule, though it may be spelled in another way, or, where it is asked for one that is near, much like them.
type template func(d *draft, near bool)

// alphabet is what the motifs of one trace have in common.
type alphabet struct {
	templates   []template
	perturbed   bool // another template stands, at times, where the motif would have its own
	interrupted bool // by resets
}

// motif appends a short arrangement of templates that loop detectors are about, or that looks like one.
func (d *draft) motif(m alphabet) {
	if d.turns && !d.oneIn(4) {
		d.repeat(m, d.choose(m, 2), false)
		return
	}
	switch d.below(8) {
	case 0, 1, 2:
		d.repeat(m, d.choose(m, 1), false)
	case 3:
		d.repeat(m, d.choose(m, 1), true)
	case 4, 5:
		d.repeat(m, d.choose(m, 2), false)
	case 6:
		d.repeat(m, d.choose(m, d.between(3, 4)), d.oneIn(4))
	default:
		d.noise(m)
	}
}

// choose returns n templates; one of them may be new to the trace, and some may be the same.
func (d *draft) choose(m alphabet, n int) []template {
	cycle := make([]template, n)
	first := d.below(len(m.templates))
	for i := range cycle {
		cycle[i] = m.templates[(first+i)%len(m.templates)]
	}
	if d.oneIn(16) {
		cycle[n-1] = d.newTemplate()
	}
	return cycle
}

// repeat plays a cycle of templates some rounds long. In near-repeats, every other occurrence is only near.
func (d *draft) repeat(m alphabet, cycle []template, near bool) {
	for range d.rounds(len(cycle)) {
		for _, l := range cycle {
			if m.perturbed && d.oneIn(16) {
				l = pick(d.dice, m.templates)
			}
			d.play(m, l, near && d.maybe())
		}
		if len(d.steps) >= d.most {
			return
		}
	}
}

// rounds returns how often a cycle of so many templates is played: about as often as decides something, or any small
// number of times.
func (d *draft) rounds(templates int) int {
	switch {
	case templates == 2 && d.alternations > 0 && !d.oneIn(4):
		return d.alternations + d.below(4) - 1
	case d.maybe():
		return max(pick(d.dice, d.marks)+d.below(4)-1, 1)
	default:
		return d.between(1, 6)
	}
}

// noise plays templates in no order at all.
func (d *draft) noise(m alphabet) {
	for range d.between(1, 8) {
		d.play(m, pick(d.dice, m.templates), d.oneIn(4))
	}
}

// play appends one occurrence of a template, and sometimes what is beside the point: another agent's turn, an event
// that does not matter, a reset.
func (d *draft) play(m alphabet, l template, near bool) {
	if d.agents > 1 && d.maybe() {
		d.agent = d.below(d.agents)
	}
	l(d, near)
	if d.distracted && d.oneIn(8) {
		d.emit(d.strayEvent())
	}
	if m.interrupted && d.oneIn(8) {
		d.steps = append(d.steps, laws.Step{Session: d.agent})
	}
}
