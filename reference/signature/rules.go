// Package signature is the reference of D2's own loop detector. It reduces each output of an agent to a signature, the
// main error or action of the output. Equal signatures are a loop.
//
// After each output (any other event is ignored, SG-1):
//
//  1. Take the signature of the output. (SG-8, SG-17)
//  2. Take the earlier outputs that the reading still looks at. (SG-16, SG-30)
//  3. Count the signatures that equal the current one, itself included: in the reading code all of them (SG-15), in the
//     reading text only consecutive ones, up to the current one (SG-29).
//  4. It is a loop if the count reaches the threshold. (SG-4)
//
// D2 contradicts itself: its listing produces none of the signatures that it shows. The reading code (rules_code.go)
// takes signatures as the listing does, the reading text (rules_text.go) as the prose and the examples do.
//
// The clauses are in spec/clauses/signature.md. The fast twin in reference/fast/signature extracts each signature once,
// in time proportional to the output.
package signature

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/loopstone/loopstone/reference/jstext"
	"github.com/loopstone/loopstone/spec"
)

// Config is a reading with its settings.
type Config struct {
	Reading   spec.Reading
	Threshold int // how many equal signatures are a loop
	Window    int // how many signatures are kept
}

// ConfigOf takes the configuration from the settings; their defaults stand in the detector's row of spec/detectors.go.
func ConfigOf(s spec.Settings) Config { // SG-2, SG-3
	return Config{Reading: s.Reading, Threshold: s.Number("threshold"), Window: s.Number("window")}
}

// verdict is the verdict after the last event of the trace.
func verdict(c Config, trace []spec.Event) spec.Verdict {
	newest := trace[len(trace)-1]
	if newest.Type != spec.Output { // SG-1
		return spec.Verdict{}
	}
	outputs := slices.DeleteFunc(slices.Clone(trace), func(e spec.Event) bool { return e.Type != spec.Output })
	signature := Plainly(c.Reading, newest.Text)
	isEqual := func(e spec.Event) bool { return Plainly(c.Reading, e.Text) == signature } // SG-31
	counted := countedOutputs(c, outputs, isEqual)
	v := spec.Verdict{HasSignature: true, Signature: signature, Count: len(counted)}
	if v.Count >= c.Threshold { // SG-4
		v.Loop, v.Kind = true, spec.KindSignature
		for _, e := range last(counted, spec.MaxEvidence) { // SG-32
			v.Evidence = append(v.Evidence, e.Index)
		}
	}
	return v
}

// countedOutputs returns the outputs that count, the newest last. isEqual reports whether an output has the newest
// signature.
func countedOutputs(c Config, outputs []spec.Event, isEqual func(spec.Event) bool) []spec.Event {
	var counted []spec.Event
	if c.Reading == spec.Text {
		for _, e := range last(outputs, c.Window) { // SG-30
			if counted = append(counted, e); !isEqual(e) { // SG-29
				counted = nil
			}
		}
		return counted
	}
	for _, e := range last(outputs, 1+min(c.Threshold, c.Window)) { // SG-15, SG-16
		if isEqual(e) {
			counted = append(counted, e)
		}
	}
	return counted
}

func last(events []spec.Event, n int) []spec.Event { return events[max(0, len(events)-n):] }

// Plainly returns the signature that the reading gives to an output.
func Plainly(reading spec.Reading, output string) string {
	if reading == spec.Text {
		return plainProse(output)
	}
	return plainListing(output)
}

// Beginning returns the signature of an output that no other rule applies to, in both readings: its beginning in lower
// case, with hyphens for white space. It is the last line of D2's listing.
func Beginning(output string) string { // SG-6, SG-7
	return jstext.HyphenateSpace(jstext.Lower(jstext.Prefix(output, 50)))
}

// notation translates the symbols of the patterns that mean something else in Go, or nothing. The patterns are regular
// expressions of JavaScript (SG-5) with three symbols more: \h is a character of a gap, \< and \> are the beginning and
// the end of a whole word (SG-17). A letter stands for its upper and lower case (SG-8, SG-17).
var notation = map[string]string{
	`\s`: `[` + blanks + lineEnds + `]`,
	`\S`: `[^` + blanks + lineEnds + `]`,
	`.`:  `[^` + lineEnds + `]`,
	`\h`: `[` + blanks + `]`,
	`\<`: `(?:^|[^` + wordCharacters + `])`,
	`\>`: `(?:[^` + wordCharacters + `]|$)`,
}

const (
	lineEnds       = `\n\r\x{2028}\x{2029}`
	blanks         = `\t\v\f \x{A0}\x{1680}\x{2000}-\x{200A}\x{202F}\x{205F}\x{3000}\x{FEFF}`
	wordCharacters = `\p{L}\p{N}_`
)

var symbol = regexp.MustCompile(`\\.|[a-z.]`)

// pattern compiles a pattern when it is first used.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(symbol.ReplaceAllStringFunc(text, func(s string) string {
			if meaning, differs := notation[s]; differs {
				return meaning
			}
			if len(s) == 1 {
				return "[" + s + strings.ToUpper(s) + "]"
			}
			return s
		}))
	})
}
