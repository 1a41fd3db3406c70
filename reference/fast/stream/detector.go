// Package stream is the fast twin of reference/stream: the same verdicts piece by piece, with snapshots. What it
// remembers is bounded by the configuration, and a character costs the same however long the text is.
package stream

import (
	"slices"

	rules "github.com/loopstone/loopstone/reference/stream"
	"github.com/loopstone/loopstone/spec"
)

type detector struct {
	config   rules.Config
	channels map[spec.Channel]*channel
}

// New returns the detector with an empty trace.
func New(s spec.Settings) (spec.Detector, error) { return newDetector(rules.ConfigOf(s)), nil }

func newDetector(c rules.Config) *detector {
	return &detector{config: c, channels: map[spec.Channel]*channel{}}
}

// Observe implements [spec.Detector].
func (d *detector) Observe(e spec.Event) spec.Verdict {
	if d.config.Starts(e) { // ST-4
		for _, c := range d.channels {
			c.start()
		}
	}
	if !d.config.Judged(e) { // ST-1, ST-2
		return spec.Verdict{}
	}
	c := d.channels[e.Channel]
	if c == nil {
		c = newChannel(d.config)
		d.channels[e.Channel] = c
	}
	return c.observe(e)
}

// Reset implements [spec.Detector].
func (d *detector) Reset() { d.channels = map[spec.Channel]*channel{} } // ST-19

// channel is one text, as the rules remember it.
type channel struct {
	kinds  []spec.VerdictKind
	rules  []rule // one for each kind
	length int    // of the text, in characters, as far as there are pieces
	pieces []piece
}

// rule is one of the rules of a channel.
type rule interface {
	// add takes in the next character. If it finds a loop, it returns the verdict, and how many characters before the
	// end of the text what repeats begins.
	add(r rune) (v spec.Verdict, back int)
	// start forgets the text.
	start()
	snapshot() spec.Value
	// read reads a snapshot, in a rule that has seen nothing; it takes anything for what it cannot read.
	read(state spec.Value)
}

// piece is an event, and how long its channel's text is with it.
type piece struct{ index, end int }

func newChannel(config rules.Config) *channel {
	c := &channel{}
	for _, kind := range config.Rules {
		if slices.Contains(c.kinds, kind) { // the second never speaks first
			continue
		}
		c.kinds = append(c.kinds, kind)
		switch kind {
		case spec.KindTail:
			c.rules = append(c.rules, &tail{config: config})
		case spec.KindChunk:
			c.rules = append(c.rules, newChunk(config))
		default:
			c.rules = append(c.rules, &lines{config: config})
		}
	}
	return c
}

// start forgets the text.
func (c *channel) start() {
	for _, r := range c.rules {
		r.start()
	}
	c.length, c.pieces = 0, nil
}

// observe returns the verdict on a piece: the first loop after one of its characters.
func (c *channel) observe(e spec.Event) (first spec.Verdict) {
	from := 0
	for _, r := range e.Text {
		c.length++
		v, back := c.add(r)
		if v.Loop && !first.Loop { // ST-5
			first, from = v, c.length-back
		}
	}
	latest := c.pieces[max(0, len(c.pieces)+1-spec.MaxEvidence):]
	c.pieces = append(latest, piece{e.Index, c.length})
	if first.Loop {
		first.Evidence = c.evidence(from)
	}
	return first
}

// add shows a character to every rule and returns the verdict of the first that finds a loop.
func (c *channel) add(r rune) (first spec.Verdict, back int) {
	for _, rule := range c.rules {
		if v, far := rule.add(r); v.Loop && !first.Loop { // ST-6
			first, back = v, far
		}
	}
	return first, back
}

// evidence lists the pieces from the one that holds the character at a place on.
func (c *channel) evidence(from int) []int { // ST-18
	var indices []int
	for _, p := range c.pieces {
		if p.end > from {
			indices = append(indices, p.index)
		}
	}
	return indices[max(0, len(indices)-spec.MaxEvidence):]
}
