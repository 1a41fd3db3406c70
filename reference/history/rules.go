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
// The rules stand in this file: the verdict is a function of the configuration and the events since the last reset. The
// clauses are in spec/clauses/history.md, the fast twin in reference/fast/history.
package history

import (
	"crypto/md5"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/reference/pyjson"
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

// New returns the detector made of its rules.
func New(s spec.Settings) (spec.Detector, error) {
	c := ConfigOf(s)
	return spec.WholeTrace(func(trace []spec.Event) spec.Verdict { return verdict(c, trace) }), nil
}

// Digest is an MD5 sum, by which the document compares calls. It protects against nobody.
type Digest [md5.Size]byte

// String returns the 32 lower-case hexadecimal digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// AppendText appends the text whose digest is a call's hash: the tool, a colon and the arguments. Calls with different
// texts are different calls.
func (c *Config) AppendText(b []byte, e spec.Event) []byte { // HI-6, HI-16
	b = append(append(b, e.Tool...), ':')
	if slices.Contains(c.Normalize, e.Tool) { // HI-18: the text of any other call ends in "}"
		return b
	}
	return pyjson.AppendSorted(b, e.Args) // HI-7, HI-8, HI-9
}

// FirstWord returns the first word of a call's command; empty if there is no word, or no command that is a string.
func FirstWord(e spec.Event) (word string) { // HI-21
	command, _ := e.Args.Get("command").Str()
	for word = range strings.FieldsFuncSeq(command, isBlank) {
		break
	}
	return word
}

// isBlank reports whether a character separates words.
func isBlank(r rune) bool { return strings.ContainsRune(" \t\n\v\f\r", r) } // HI-21

// verdict is the verdict after the last event of the trace.
func verdict(c Config, trace []spec.Event) spec.Verdict {
	if trace[len(trace)-1].Type != spec.ToolCall { // HI-1
		return spec.Verdict{}
	}
	window := lastCalls(trace, c.HistorySize) // HI-15: not the current call alone
	repeats := mostFrequent(window, func(e spec.Event) (Digest, bool) {
		return md5.Sum(c.AppendText(nil, e)), true
	})
	overLimit := mostFrequent(window, func(e spec.Event) (string, bool) {
		limit, limited := c.Limits[e.Tool]
		return e.Tool, limited && calls(window, e.Tool) > limit // HI-19
	})
	sameWord := mostFrequent(window, func(e spec.Event) ([2]string, bool) {
		word := FirstWord(e)
		return [2]string{e.Tool, word}, word != "" // HI-20, HI-21
	})
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

// lastCalls returns the window: the last calls of the trace, the current call included. Other events do not matter.
func lastCalls(trace []spec.Event, size int) []spec.Event { // HI-10, HI-11, HI-12
	calls := slices.DeleteFunc(slices.Clone(trace), func(e spec.Event) bool { return e.Type != spec.ToolCall })
	return calls[max(0, len(calls)-size):]
}

// calls returns how many calls of the window are of the tool.
func calls(window []spec.Event, tool string) int {
	n := 0
	for _, e := range window {
		if e.Tool == tool {
			n++
		}
	}
	return n
}

// mostFrequent returns the indices of the calls that share the most frequent key. Every key reaches its count with its
// latest call, so if several keys are equally frequent, the key with the latest call remains.
func mostFrequent[K comparable](window []spec.Event, key func(spec.Event) (key K, counts bool)) []int { // HI-24
	var most []int
	byKey := map[K][]int{}
	for _, e := range window {
		k, counts := key(e)
		if !counts {
			continue
		}
		byKey[k] = append(byKey[k], e.Index)
		if len(byKey[k]) >= len(most) {
			most = byKey[k]
		}
	}
	return most
}

// loop is the verdict of a rule that counted these calls.
func loop(kind spec.VerdictKind, calls []int) spec.Verdict {
	evidence := calls[max(0, len(calls)-spec.MaxEvidence):]                            // HI-23
	return spec.Verdict{Loop: true, Kind: kind, Count: len(calls), Evidence: evidence} // HI-14
}
