package toy

import (
	rules "github.com/loopstone/loopstone/reference/toy"
	"github.com/loopstone/loopstone/spec"
)

// New returns the detector with an empty trace.
func New(s spec.Settings) (spec.Detector, error) { return &detector{times: s.Number("times")}, nil }

// detector watches the outputs of one agent.
type detector struct {
	times int
	text  string
	count int
	trail spec.Trail
}

// Observe implements [spec.Detector].
func (d *detector) Observe(e spec.Event) spec.Verdict {
	if e.Type != spec.Output {
		return spec.Verdict{}
	}
	if e.Text != d.text {
		d.Reset()
	}
	d.text = e.Text
	d.count++
	d.trail.Add(e.Index)
	return rules.Echo(d.times, d.count, d.trail.Last(d.count))
}

// Reset implements [spec.Detector].
func (d *detector) Reset() { // TY-5
	d.text, d.count = "", 0
	d.trail.Reset()
}
