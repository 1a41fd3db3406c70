package history

import (
	"crypto/md5"
	"math"

	"github.com/loopstone/loopstone/spec"
)

// detector watches one agent. It keeps the last calls as digests, and how often each digest is among them.
type detector struct {
	config
	allowed []int          // the limits, by place; the first is that of all tools without one
	limitOf map[string]int // a limited tool's place

	window  window
	repeats tally // by hash
	limited []int // how many calls of each place are in the window
	words   tally // by tool and first word

	text []byte // what was hashed last; kept to be written over
}

// newDetector returns a detector with an empty trace.
func newDetector(c config) *detector {
	d := &detector{config: c, allowed: []int{math.MaxInt}, limitOf: map[string]int{}}
	for tool, limit := range c.limits {
		d.limitOf[tool] = len(d.allowed)
		d.allowed = append(d.allowed, limit)
	}
	d.Reset()
	return d
}

// Reset forgets all calls and keeps the configuration. [HI-5]
func (d *detector) Reset() {
	d.window = window{size: d.historySize}
	d.repeats, d.words = newTally(), newTally()
	d.limited = make([]int, len(d.allowed))
}

// Observe implements [spec.Detector].
func (d *detector) Observe(e spec.Event) spec.Verdict {
	if e.Type != spec.ToolCall { // HI-1
		return spec.Verdict{}
	}
	d.record(d.read(e))
	return d.judge()
}

// read reduces a tool call to what the rules compare.
func (d *detector) read(e spec.Event) call {
	c := call{limit: d.limitOf[e.Tool], index: e.Index} // HI-19
	if d.firstWordThreshold != math.MaxInt {
		c.word = d.wordOf(e)
	}
	d.text = d.appendText(d.text[:0], e)
	c.hash = md5.Sum(d.text) // HI-6
	return c
}

// wordOf returns the digest of the call's tool and first word, zero where it has no word. A word has no blank, so that
// the first one in the text ends it. [HI-20] [HI-21]
func (d *detector) wordOf(e spec.Event) digest {
	word := firstWord(e)
	if word == "" {
		return digest{}
	}
	d.text = append(append(append(d.text[:0], word...), ' '), e.Tool...)
	return md5.Sum(d.text)
}

// record takes the call into the window, and counts it instead of the one that leaves. [HI-10]
func (d *detector) record(c call) {
	if old, left := d.window.push(c); left {
		d.repeats.remove(old.hash)
		d.limited[old.limit]--
		if old.word != (digest{}) {
			d.words.remove(old.word)
		}
	}
	d.repeats.add(c.hash)
	d.limited[c.limit]++
	if c.word != (digest{}) {
		d.words.add(c.word)
	}
}

// judge asks the rules in their order. The evidence of each is the calls that it counted; where several hashes, tools
// or words share the highest count, those of the latest call among theirs. [HI-22] [HI-23] [HI-24]
func (d *detector) judge() spec.Verdict {
	if n := d.repeats.max(); n >= d.repeatThreshold { // HI-13
		leader := d.window.latest(func(c call) bool { return d.repeats.leads(c.hash) })
		return d.loop(spec.KindRepeat, n, func(c call) bool { return c.hash == leader.hash })
	}
	if n := d.mostOverLimit(); n != 0 { // HI-19
		leader := d.window.latest(func(c call) bool { return d.limited[c.limit] == n && n > d.allowed[c.limit] })
		return d.loop(spec.KindToolLimit, n, func(c call) bool { return c.limit == leader.limit })
	}
	if n := d.words.max(); n >= d.firstWordThreshold { // HI-20
		leader := d.window.latest(func(c call) bool { return d.words.leads(c.word) })
		return d.loop(spec.KindFirstWord, n, func(c call) bool { return c.word == leader.word })
	}
	return spec.Verdict{Count: d.repeats.max()} // HI-14
}

// mostOverLimit returns the highest count among the tools that occur more often than their limits allow; 0 where none
// does.
func (d *detector) mostOverLimit() (most int) {
	for i, limit := range d.allowed {
		if d.limited[i] > limit {
			most = max(most, d.limited[i])
		}
	}
	return most
}

func (d *detector) loop(kind spec.VerdictKind, count int, counted func(call) bool) spec.Verdict {
	return spec.Verdict{Loop: true, Kind: kind, Count: count, Evidence: d.window.indices(counted)}
}
