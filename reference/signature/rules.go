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
// The clauses are in spec/clauses/signature.md.
package signature

import (
	"github.com/loopstone/loopstone/reference/parts/jstext"
	"github.com/loopstone/loopstone/reference/parts/memory"
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

// New returns the detector with an empty trace, in either of D2's readings.
func New(s spec.Settings) (spec.Detector, error) {
	c := ConfigOf(s)
	return memory.NewDetector(c.Fresh, c.Observe), nil
}

// Memory is what the detector remembers: the signatures of the earlier outputs that its reading looks at.
type Memory struct { // SG-34
	Earlier memory.Window[stored] `json:"signatures"`
}

// stored is the signature of an earlier output.
type stored struct {
	Signature string `json:"signature"`
	index     memory.Index
}

// Fresh returns the memory of a new session.
func (c *Config) Fresh() Memory { // SG-33
	if c.Reading == spec.Text {
		return Memory{memory.NewWindow[stored](c.Window - 1)} // SG-30: the current output is in the window
	}
	return Memory{memory.NewWindow[stored](min(c.Threshold, c.Window))} // SG-15, SG-16
}

// Observe returns the verdict on an output and adds its signature to the memory. Other events do not matter.
func (c *Config) Observe(m *Memory, e spec.Event) spec.Verdict {
	if e.Type != spec.Output { // SG-1
		return spec.Verdict{}
	}
	current := stored{signatureOf(c.Reading, e.Text), memory.IndexOf(e)}
	equal := append(c.equal(m.Earlier.Items(), current.Signature), current.index)
	m.Earlier.Add(current) // SG-16
	v := spec.Verdict{HasSignature: true, Signature: current.Signature, Count: len(equal)}
	if v.Count >= c.Threshold { // SG-4
		v.Loop, v.Kind, v.Evidence = true, spec.KindSignature, memory.Evidence(equal) // SG-32
	}
	return v
}

// equal returns the earlier outputs that count: those with the signature, in the reading text only the consecutive ones
// at the end.
func (c *Config) equal(earlier []stored, signature string) (equal []memory.Index) {
	for _, s := range earlier { // SG-15, SG-30
		switch {
		case s.Signature == signature: // SG-31
			equal = append(equal, s.index) // SG-15, SG-29
		case c.Reading == spec.Text:
			equal = nil // SG-29
		}
	}
	return equal
}

// signatureOf returns the signature that the reading gives to an output.
func signatureOf(reading spec.Reading, output string) string {
	if reading == spec.Text {
		return fromProse(output)
	}
	return fromListing(output)
}

// beginning returns the signature of an output that no other rule applies to, in both readings: its beginning in lower
// case, with hyphens for white space. It is the last line of D2's listing.
func beginning(output string) string { // SG-6, SG-7
	return jstext.HyphenateSpace(jstext.Lower(jstext.Prefix(output, 50)))
}
