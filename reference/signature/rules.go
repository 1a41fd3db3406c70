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
// takes signatures as the listing does, the reading text (rules_text.go) as the prose and the examples do. Read this
// file first, then these two; functions.go has what a port can be asked beside verdicts.
//
// The verdict is a function of the configuration and the events since the last reset. The clauses are in
// spec/clauses/signature.md, the fast twin in reference/fast/signature.
package signature

import (
	"slices"

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

// New returns the detector made of its rules, in either of D2's readings.
func New(s spec.Settings) (spec.Detector, error) {
	c := ConfigOf(s)
	return spec.WholeTrace(func(trace []spec.Event) spec.Verdict { return verdict(c, trace) }), nil
}

// verdict is the verdict after the last event of the trace, which begins after the last reset.
func verdict(c Config, trace []spec.Event) spec.Verdict {
	newest := trace[len(trace)-1]
	if newest.Type != spec.Output { // SG-1
		return spec.Verdict{}
	}
	outputs := slices.DeleteFunc(slices.Clone(trace), func(e spec.Event) bool { return e.Type != spec.Output })
	signature := Of(c.Reading, newest.Text)
	isEqual := func(e spec.Event) bool { return Of(c.Reading, e.Text) == signature } // SG-31
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

// Of returns the signature that the reading gives to an output.
func Of(reading spec.Reading, output string) string {
	if reading == spec.Text {
		return fromProse(output)
	}
	return fromListing(output)
}

// Beginning returns the signature of an output that no other rule applies to, in both readings: its beginning in lower
// case, with hyphens for white space. It is the last line of D2's listing.
func Beginning(output string) string { // SG-6, SG-7
	return jstext.HyphenateSpace(jstext.Lower(jstext.Prefix(output, 50)))
}
