// Package history is the reference of the detector of D3 and D4. It remembers the hashes of the last tool calls, and
// reports a loop while one hash occurs too often. Other calls between equal calls, and results, do not matter.
//
// After each tool call:
//
//  1. The call enters the window, which holds the last history_size calls. (HI-10)
//  2. "repeat": a hash occurs in the window repeat_threshold times or more. (HI-13)
//  3. "tool_limit": a tool occurs in the window more often than its limit allows. (HI-19)
//  4. "first_word": the commands of at least first_word_threshold calls of one tool begin with the same word. (HI-20)
//  5. The first of these rules that holds gives the verdict. (HI-22)
//
// tool_limit, first_word and the setting normalize are the mitigations that D3 proposes for its known gap; they are off
// unless configured.
//
// The clauses are in spec/clauses/history.md.
package history

import (
	"crypto/md5"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/reference/parts/memory"
	"github.com/loopstone/loopstone/reference/parts/pyjson"
	"github.com/loopstone/loopstone/spec"
)

// Config is the configuration; a reset keeps it.
type Config struct { // HI-5
	RepeatThreshold int // may be above HistorySize: HI-4
	HistorySize     int

	Normalize          []string       // tools whose arguments do not count
	Limits             map[string]int // how often a tool may be in the window
	FirstWordThreshold int            // 0 if the rule is off
}

// ConfigOf takes the configuration from the settings; their defaults stand in the detector's row of spec/detectors.go.
func ConfigOf(s spec.Settings) Config {
	return Config{
		RepeatThreshold: s.Number("repeat_threshold"), // HI-2, HI-3
		HistorySize:     s.Number("history_size"),     // HI-2, HI-3

		Normalize:          s.Texts("normalize"),             // HI-17
		Limits:             s.Numbers("tool_limits"),         // HI-17
		FirstWordThreshold: s.Number("first_word_threshold"), // HI-17
	}
}

// New returns the detector with an empty trace.
func New(s spec.Settings) (spec.Detector, error) {
	c := ConfigOf(s)
	return memory.NewDetector(c.fresh, c.observe), nil
}

// remembered is what the detector remembers: the window.
type remembered struct { // HI-25, HI-26
	Calls memory.Window[call] `json:"calls"`
}

// call is what the window keeps of a tool call: what the rules compare.
type call struct {
	Hash      string        `json:"hash"`
	Tool      string        `json:"tool"`
	FirstWord memory.Digest `json:"first_word,omitzero"` // of the command; zero if there is no word
	index     memory.Index  // HI-30
}

func (c *Config) fresh() remembered { // HI-5
	return remembered{memory.NewWindow[call](c.HistorySize)} // HI-10, HI-29
}

// hash returns a call's hash, by which the document compares calls. It protects against nobody.
func (c *Config) hash(e spec.Event) string { // HI-6
	sum := md5.Sum(c.appendText(nil, e))
	return hex.EncodeToString(sum[:])
}

// appendText appends the text whose digest is a call's hash: the tool, a colon and the arguments. Calls with different
// texts are different calls.
func (c *Config) appendText(b []byte, e spec.Event) []byte { // HI-6, HI-16
	b = append(append(b, e.Tool...), ':')
	if slices.Contains(c.Normalize, e.Tool) { // HI-18: the text of any other call ends in "}"
		return b
	}
	return pyjson.AppendSorted(b, e.Args) // HI-7, HI-8, HI-9
}

// firstWord returns the first word of a call's command; empty if there is no word, or no command that is a string.
func firstWord(e spec.Event) (word string) { // HI-21
	command, _ := e.Args.Get("command").Str()
	for word = range strings.FieldsFuncSeq(command, isBlank) {
		break
	}
	return word
}

// isBlank reports whether a character separates words.
func isBlank(r rune) bool { return strings.ContainsRune(" \t\n\v\f\r", r) } // HI-21

// observe adds a tool call to the window and judges the window. Other events do not matter.
func (c *Config) observe(m *remembered, e spec.Event) spec.Verdict {
	if e.Type != spec.ToolCall { // HI-1
		return spec.Verdict{}
	}
	m.Calls.Add(c.callOf(e)) // HI-10, HI-11
	return c.verdict(m.Calls.Items())
}

// callOf reduces a tool call to what the rules compare.
func (c *Config) callOf(e spec.Event) call {
	k := call{Hash: c.hash(e), Tool: e.Tool, index: memory.IndexOf(e)}
	if word := firstWord(e); word != "" {
		k.FirstWord = memory.DigestOf(word) // HI-21
	}
	return k
}

// verdict judges the whole window, not the current call alone.
func (c *Config) verdict(window []call) spec.Verdict {
	repeats := mostFrequent(window, func(k call) (string, bool) { return k.Hash, true })
	var overLimit, sameWord []memory.Index
	if len(c.Limits) > 0 {
		overLimit = c.overLimit(window)
	}
	if c.FirstWordThreshold > 0 {
		sameWord = ofFirstWord(window)
	}
	switch { // HI-22
	case len(repeats) >= c.RepeatThreshold: // HI-13
		return loop(spec.KindRepeat, repeats)
	case overLimit != nil: // HI-19
		return loop(spec.KindToolLimit, overLimit)
	case c.FirstWordThreshold > 0 && len(sameWord) >= c.FirstWordThreshold: // HI-20
		return loop(spec.KindFirstWord, sameWord)
	default:
		return spec.Verdict{Count: len(repeats)} // HI-14
	}
}

// overLimit returns the calls of the tool that is above its limit; of several such tools, of the most frequent one.
func (c *Config) overLimit(window []call) []memory.Index { // HI-19
	calls := callsByTool(window)
	return mostFrequent(window, func(k call) (string, bool) {
		limit, limited := c.Limits[k.Tool]
		return k.Tool, limited && calls[k.Tool] > limit
	})
}

// ofFirstWord returns the calls of a tool whose commands have the most frequent first word.
func ofFirstWord(window []call) []memory.Index { // HI-20, HI-21
	return mostFrequent(window, func(k call) (ofTool, bool) {
		return ofTool{k.Tool, k.FirstWord}, k.FirstWord != memory.Digest{}
	})
}

// ofTool is a first word in the commands of a tool.
type ofTool struct {
	tool string
	word memory.Digest
}

// callsByTool returns how many calls of the window are of each tool.
func callsByTool(window []call) map[string]int {
	calls := map[string]int{}
	for _, k := range window {
		calls[k.Tool]++
	}
	return calls
}

// mostFrequent returns the calls that share the most frequent key. Every key reaches its count with its latest call, so
// if several keys are equally frequent, the key with the latest call remains.
func mostFrequent[K comparable](window []call, key func(call) (key K, counts bool)) []memory.Index { // HI-24
	var most K
	times := make(map[K]int, len(window))
	for _, c := range window { // HI-12, HI-15
		if k, counts := key(c); counts {
			times[k]++
			if times[k] >= times[most] {
				most = k
			}
		}
	}
	var calls []memory.Index
	for _, c := range window {
		if k, counts := key(c); counts && k == most { // if none counts, most is the zero key
			calls = append(calls, c.index)
		}
	}
	return calls
}

// loop is the verdict of a rule that counted these calls.
func loop(kind spec.VerdictKind, calls []memory.Index) spec.Verdict {
	return spec.Verdict{Loop: true, Kind: kind, Count: len(calls), Evidence: memory.Evidence(calls)} // HI-14, HI-23
}
