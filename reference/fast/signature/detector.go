// Package signature is the fast twin of reference/signature: the same verdicts event by event, with snapshots. It takes
// each signature once, in time proportional to the output.
package signature

import (
	"slices"

	"github.com/loopstone/loopstone/reference/fast"
	rules "github.com/loopstone/loopstone/reference/signature"
	"github.com/loopstone/loopstone/spec"
)

// detector extracts each signature once, and remembers the earlier signatures that its reading still looks at.
type detector struct {
	rules.Config
	earlier tally
}

// tally remembers the signatures of earlier outputs.
type tally interface {
	// count returns how many equal signatures the rule counts if the signature comes next, itself included.
	count(signature string) int
	// evidence returns the indices of the latest n earlier outputs that count counted, ascending; fewer where they
	// were observed before a restore.
	evidence(signature string, n int) []int
	store(signature string, index int)
	snapshot() spec.Value
	read(state spec.Value) // of a snapshot, in a tally that is empty; what it cannot read is anything
}

// New returns the detector with an empty trace.
func New(s spec.Settings) (spec.Detector, error) { return newDetector(rules.ConfigOf(s)), nil }

func newDetector(c rules.Config) *detector {
	if c.Reading == spec.Text {
		return &detector{c, &run{limit: c.Window}} // SG-30
	}
	return &detector{c, newRecent(min(c.Threshold, c.Window))} // SG-15, SG-16
}

// Observe implements [spec.Detector].
func (d *detector) Observe(e spec.Event) spec.Verdict {
	if e.Type != spec.Output { // SG-1
		return spec.Verdict{}
	}
	signature := signatureOf(d.Reading, e.Text)
	v := spec.Verdict{HasSignature: true, Signature: signature, Count: d.earlier.count(signature)}
	if v.Count >= d.Threshold { // SG-4
		v.Loop, v.Kind = true, spec.KindSignature
		v.Evidence = append(d.earlier.evidence(signature, min(v.Count, spec.MaxEvidence)-1), e.Index) // SG-32
	}
	d.earlier.store(signature, e.Index)
	return v
}

// Reset implements [spec.Detector].
func (d *detector) Reset() { *d = *newDetector(d.Config) } // SG-33

func signatureOf(reading spec.Reading, output string) string {
	if reading == spec.Text {
		return prose(output)
	}
	return listing(output)
}

// recent is the code reading's tally: equal signatures among the latest stored signatures count, wherever they stand.
type recent struct {
	limit  int            // how many are looked at
	latest []stored       // a ring once it is full
	oldest int            // where the ring begins
	copies map[string]int // how often each signature stands in latest
}

// stored is the signature of an earlier output.
type stored struct {
	signature string
	index     int // of the event; [fast.Restored] where it was observed before a restore
}

func newRecent(limit int) *recent { return &recent{limit: limit, copies: map[string]int{}} }

func (r *recent) count(signature string) int { return r.copies[signature] + 1 } // SG-15

func (r *recent) store(signature string, index int) { // SG-16
	r.copies[signature]++
	entry := stored{signature, index}
	if len(r.latest) < r.limit {
		r.latest = append(r.latest, entry)
		return
	}
	r.forget(r.latest[r.oldest].signature)
	r.latest[r.oldest] = entry
	r.oldest = (r.oldest + 1) % r.limit
}

func (r *recent) forget(signature string) {
	if r.copies[signature]--; r.copies[signature] == 0 {
		delete(r.copies, signature)
	}
}

func (r *recent) evidence(signature string, n int) []int {
	var indices []int
	for i := len(r.latest) - 1; i >= 0 && len(indices) < n; i-- {
		entry := r.latest[(r.oldest+i)%len(r.latest)]
		if entry.signature == signature && entry.index != fast.Restored {
			indices = append(indices, entry.index)
		}
	}
	slices.Reverse(indices)
	return indices
}

// run is the text reading's tally: the consecutive equal signatures at the end of the window.
type run struct {
	limit     int // the window: the run cannot be seen to be longer
	signature string
	length    int        // 0 before any output
	trail     spec.Trail // of all outputs
}

func (r *run) count(signature string) int { // SG-29, SG-30
	if signature != r.signature {
		return 1
	}
	return min(r.length+1, r.limit)
}

func (r *run) store(signature string, index int) {
	r.length = r.count(signature)
	r.signature = signature
	r.trail.Add(index)
}

func (r *run) evidence(_ string, n int) []int { return r.trail.Last(n) }
