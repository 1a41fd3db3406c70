// Package history is the fast twin of reference/history: the same verdicts event by event, with snapshots. It keeps how
// often each hash occurs in the window, and a heap of these counts.
package history

import (
	"crypto/md5"
	"math"

	rules "github.com/loopstone/loopstone/reference/history"
	"github.com/loopstone/loopstone/spec"
)

// detector keeps the last calls as digests, and how often each digest occurs among them.
type detector struct {
	rules.Config
	allowed []int          // the limits, by place; that of all tools without one has none
	limitOf map[string]int // a limited tool's place

	window  window
	repeats ranking[rules.Digest] // by hash
	limited ranking[int]          // by place of the tool's limit
	words   ranking[rules.Digest] // by tool and first word

	text []byte // what was hashed last; kept to be written over
}

// New returns the detector with an empty trace.
func New(s spec.Settings) (spec.Detector, error) { return newDetector(rules.ConfigOf(s)), nil }

func newDetector(c rules.Config) *detector {
	d := &detector{Config: c, allowed: []int{math.MaxInt}, limitOf: map[string]int{}}
	for tool, limit := range c.Limits {
		d.limitOf[tool] = len(d.allowed)
		d.allowed = append(d.allowed, limit)
	}
	d.Reset()
	return d
}

// Reset forgets all calls and keeps the configuration.
func (d *detector) Reset() { // HI-5
	d.window = window{size: d.HistorySize}
	d.repeats, d.limited, d.words = newRanking[rules.Digest](), newRanking[int](), newRanking[rules.Digest]()
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
	if d.FirstWordThreshold > 0 {
		c.word = d.wordOf(e)
	}
	d.text = d.AppendText(d.text[:0], e)
	c.hash = md5.Sum(d.text) // HI-6
	return c
}

// wordOf returns the digest of the call's tool and first word, zero if there is no word. A word has no blank, so the
// first blank in the text ends the word.
func (d *detector) wordOf(e spec.Event) rules.Digest { // HI-20, HI-21
	word := rules.FirstWord(e)
	if word == "" {
		return rules.Digest{}
	}
	d.text = append(append(append(d.text[:0], word...), ' '), e.Tool...)
	return md5.Sum(d.text)
}

// record adds the call to the window, and counts it instead of the call that leaves. It ranks only keys that a rule may
// report, and hashes that occur twice, because their count is reported.
func (d *detector) record(c call) { // HI-10
	if d.window.isFull() {
		d.forget(d.window.at(d.window.oldest()))
	}
	number := d.window.next
	c.before[byHash] = d.repeats.add(c.hash, number, min(1, d.RepeatThreshold-1))
	if c.limit != unlimited {
		c.before[byLimit] = d.limited.add(c.limit, number, d.allowed[c.limit])
	}
	if c.word != (rules.Digest{}) {
		c.before[byWord] = d.words.add(c.word, number, d.FirstWordThreshold-1)
	}
	d.window.push(c)
}

func (d *detector) forget(c *call) {
	d.repeats.remove(c.hash)
	if c.limit != unlimited {
		d.limited.remove(c.limit)
	}
	if c.word != (rules.Digest{}) {
		d.words.remove(c.word)
	}
}

// judge evaluates the rules in their order. The evidence of a rule is the calls that it counted. If several hashes,
// tools or words share the highest count, the evidence is the calls of the one that has the latest call.
func (d *detector) judge() spec.Verdict { // HI-22, HI-23, HI-24
	if most := d.repeats.first(); most.count >= d.RepeatThreshold { // HI-13
		return d.loop(spec.KindRepeat, byHash, most)
	}
	if most := d.limited.first(); most.count > most.above { // HI-19
		return d.loop(spec.KindToolLimit, byLimit, most)
	}
	if most := d.words.first(); most.count > most.above { // HI-20
		return d.loop(spec.KindFirstWord, byWord, most)
	}
	return spec.Verdict{Count: max(1, d.repeats.first().count)} // HI-14
}

func (d *detector) loop(kind spec.VerdictKind, rule int, most standing) spec.Verdict {
	return spec.Verdict{Loop: true, Kind: kind, Count: most.count, Evidence: d.window.indices(rule, most)}
}
