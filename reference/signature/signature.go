// Package signature is the reference for D2's own loop detection: each output of an agent is cut down to a signature,
// its main error or action, and signatures that come again are a loop.
//
// D2 contradicts itself, so there are two readings. They differ in how a signature is taken from an output (listing.go
// and prose.go) and in which equal signatures count (recent.go and run.go). The clauses are in spec/clauses/signature.md.
package signature

import (
	"github.com/loopstone/loopstone/spec"
)

// The defaults of the configuration (D2#detection-logic, D2#sliding-window).
const (
	defaultThreshold = 3
	defaultWindow    = 5
)

// Detector watches the outputs of one agent. Make one with [New].
type Detector struct {
	extract   extractor
	earlier   tally
	threshold int
	log       *spec.ClauseLog
}

// extractor takes the signature from an output and notes the clauses that it applied.
type extractor func(output string, log *spec.ClauseLog) string

// tally remembers the signatures of earlier outputs, as far as its reading looks at them.
type tally interface {
	// count returns how many equal signatures the rule sees where the signature comes next, itself included.
	count(signature string) int
	// evidence returns the indices of the latest n earlier outputs that count counted, ascending; fewer where they
	// were observed before a restore.
	evidence(signature string, n int) []int
	store(signature string, index int)
	reset()
	logClauses(*spec.ClauseLog)
	snapshot() spec.Value
	restore(spec.Value) error
}

// Implementation returns the detector as [spec.NewHost] takes it in.
func Implementation() spec.Implementation {
	profile, _ := spec.ProfileOf(spec.Signature)
	return spec.Implementation{
		Offer: spec.Offer{Detector: profile.ID, Readings: profile.Readings, Features: profile.Features},
		New: func(reading spec.Reading, config spec.Value) (spec.Detector, error) {
			return New(reading, config)
		},
		Functions: map[string]func(spec.Reading, spec.Value) (spec.Value, error){
			"signature.extract": extract,
			"signature.report":  report,
		},
	}
}

// New returns a detector with an empty trace. The configuration has threshold, how many equal signatures are a loop
// (3 without it), and window, how many signatures are kept (5); both are integers of at least 1. The error is a
// [*spec.Fault] of kind [spec.InvalidConfig].
func New(reading spec.Reading, config spec.Value) (*Detector, error) {
	threshold, window := defaultThreshold, defaultWindow
	err := spec.ReadConfig(config, map[string]spec.Setting{ // SG-2
		"threshold": spec.AtLeast(1, &threshold),
		"window":    spec.AtLeast(1, &window),
	})
	if err != nil {
		return nil, err
	}
	d := &Detector{extract: extractorOf(reading), threshold: threshold}
	if reading == spec.Code {
		d.earlier = newRecent(min(threshold, window)) // SG-16
	} else {
		d.earlier = &run{limit: window} // SG-30
	}
	return d, nil
}

func extractorOf(reading spec.Reading) extractor {
	if reading == spec.Code {
		return listing
	}
	return prose
}

// Observe implements [spec.Detector].
func (d *Detector) Observe(e spec.Event) spec.Verdict {
	if e.Type != spec.Output {
		d.log.Apply("SG-1")
		return spec.Verdict{}
	}
	signature := d.extract(e.Text, d.log)
	v := spec.Verdict{HasSignature: true, Signature: signature, Count: d.earlier.count(signature)} // SG-4
	d.log.Apply("SG-2")
	d.log.Apply("SG-4")
	d.log.Apply("SG-31")        // both tallies compare with ==
	if v.Count >= d.threshold { // SG-15, SG-29
		v.Loop, v.Kind = true, spec.KindSignature
		d.log.Apply("SG-32")
		v.Evidence = append(d.earlier.evidence(signature, min(v.Count, spec.MaxEvidence)-1), e.Index) // SG-32
	}
	d.earlier.store(signature, e.Index)
	return v
}

// Reset implements [spec.Detector].
func (d *Detector) Reset() { // SG-33
	d.log.Apply("SG-33")
	d.earlier.reset()
}

// Snapshot implements [spec.Snapshotter].
func (d *Detector) Snapshot() spec.Value { // SG-34
	d.log.Apply("SG-34")
	return d.earlier.snapshot()
}

// Restore implements [spec.Snapshotter].
func (d *Detector) Restore(state spec.Value) error { // SG-34
	d.log.Apply("SG-34")
	return d.earlier.restore(state)
}

// LogClauses implements [spec.ClauseLogger].
func (d *Detector) LogClauses(log *spec.ClauseLog) {
	d.log = log
	d.earlier.logClauses(log)
}

// extract is the function signature.extract: what the detector takes from an output.
func extract(reading spec.Reading, args spec.Value) (spec.Value, error) {
	output, ok := args.Get("output").Str()
	if !ok { // SG-35
		return spec.Value{}, spec.BadParams("output: want string, got %s", args.Get("output").Kind())
	}
	return spec.StringValue(extractorOf(reading)(output, nil)), nil
}
