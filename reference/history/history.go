// Package history is the reference of the detector of D3 and D4: it remembers the hashes of the last tool calls and
// says loop while one of them is among them too often, whatever lies between and whatever came of the calls.
//
// After each tool call, the first rule that holds is the verdict:
//
//  1. "repeat": a hash occurs repeat_threshold times in the window, or more. [HI-13]
//  2. "tool_limit": a tool occurs more often than its limit allows. [HI-19]
//  3. "first_word": the same tool was called first_word_threshold times, or more, with commands that begin with the
//     same word. [HI-20]
//
// The last two, and the setting that makes the first look at nothing but the tool, are the mitigations that D3 proposes
// for its known gap; they are off unless configured.
package history

import "github.com/loopstone/loopstone/spec"

// Detector watches one agent. It keeps the last calls as digests, and how often each digest is among them.
type Detector struct {
	settings
	window window

	repeats tally // by hash
	limited []int // how often each limited tool is in the window, in the order of settings.limits
	words   tally // by tool and first word

	text []byte // what was hashed last; kept to be written over
	log  *spec.ClauseLog
}

// New returns a detector with an empty trace. An absent config stands for the defaults of D4#class; the error is a
// [*spec.Fault] of kind invalid_config.
func New(config spec.Value) (*Detector, error) {
	s, err := readSettings(config)
	if err != nil {
		return nil, err
	}
	d := &Detector{settings: s}
	d.Reset()
	return d, nil
}

// LogClauses implements [spec.ClauseLogger].
func (d *Detector) LogClauses(l *spec.ClauseLog) { d.log = l }

// Reset forgets all calls and keeps the configuration.
func (d *Detector) Reset() { // HI-5
	d.log.Apply("HI-5")
	d.forget()
}

func (d *Detector) forget() {
	d.window = window{size: d.historySize}
	d.repeats, d.words = tally{}, tally{}
	d.limited = make([]int, len(d.limits))
}

// Observe implements [spec.Detector].
func (d *Detector) Observe(e spec.Event) spec.Verdict {
	if e.Type != spec.ToolCall { // HI-1
		d.log.Apply("HI-1")
		d.log.Apply("HI-11")
		return spec.Verdict{}
	}
	d.record(d.read(e))
	d.log.Apply("HI-15")
	d.log.Apply("HI-22")
	verdict := d.judge()
	if verdict.Loop {
		d.log.Apply("HI-23")
		d.log.Apply("HI-24")
	}
	return verdict
}

// read reduces a tool call to what the rules compare.
func (d *Detector) read(e spec.Event) call {
	c := call{limit: noLimit, index: e.Index}
	if d.normalize[e.Tool] { // HI-18
		d.log.Apply("HI-18")
		d.text = appendTool(d.text[:0], e.Tool)
	} else {
		d.logHash()
		d.text = appendCall(d.text[:0], e.Tool, e.Args)
	}
	c.hash = sum(d.text)
	if limit, ok := d.limitOf[e.Tool]; ok { // HI-19
		c.limit = limit
	}
	if d.firstWordThreshold > 0 {
		d.log.Apply("HI-21")
	}
	if word := firstWord(e.Args); d.firstWordThreshold > 0 && word != "" { // HI-20, HI-21
		d.text = appendWord(d.text[:0], e.Tool, word)
		c.word, c.hasWord = sum(d.text), true
	}
	return c
}

// logHash notes the clauses that a hash rests on.
func (d *Detector) logHash() {
	d.log.Apply("HI-6")
	d.log.Apply("HI-7")
	d.log.Apply("HI-8")
	d.log.Apply("HI-9")
	d.log.Apply("HI-16")
}

// record takes the call into the window, and counts it instead of the one that leaves.
func (d *Detector) record(c call) {
	d.log.Apply("HI-10")
	d.log.Apply("HI-11")
	if d.log != nil && d.repeats.counts[c.hash] > 0 {
		d.log.Apply("HI-12")
	}
	if old, left := d.window.push(c); left { // HI-10
		d.count(old, -1)
	}
	d.count(c, 1)
}

// count adds n, 1 or -1, to every count that the call takes part in.
func (d *Detector) count(c call, n int) {
	d.repeats.add(c.hash, n)
	if c.limit != noLimit {
		d.limited[c.limit] += n
	}
	if c.hasWord {
		d.words.add(c.word, n)
	}
}

// judge asks the rules in their order. [HI-22]
func (d *Detector) judge() spec.Verdict {
	repeats := d.repeats.max()
	d.log.Apply("HI-13")
	d.log.Apply("HI-14")
	if repeats >= d.repeatThreshold { // HI-13
		return loop(spec.KindRepeat, repeats, d.repeatEvidence())
	}
	if len(d.limits) > 0 {
		d.log.Apply("HI-19")
	}
	if calls := d.mostOverLimit(); calls > 0 { // HI-19
		return loop(spec.KindToolLimit, calls, d.limitEvidence(calls))
	}
	if d.firstWordThreshold > 0 {
		d.log.Apply("HI-20")
	}
	if words := d.words.max(); d.firstWordThreshold > 0 && words >= d.firstWordThreshold { // HI-20
		return loop(spec.KindFirstWord, words, d.wordEvidence())
	}
	return spec.Verdict{Count: repeats} // HI-14
}

// mostOverLimit returns the highest count among the tools that occur more often than their limits allow; 0 where none
// does.
func (d *Detector) mostOverLimit() int {
	most := 0
	for i, limit := range d.limits {
		if d.limited[i] > limit {
			most = max(most, d.limited[i])
		}
	}
	return most
}

func loop(kind spec.VerdictKind, count int, evidence []int) spec.Verdict {
	return spec.Verdict{Loop: true, Kind: kind, Count: count, Evidence: evidence}
}
