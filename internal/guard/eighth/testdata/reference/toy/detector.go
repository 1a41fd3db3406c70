package toy

import "github.com/loopstone/loopstone/spec"

// Implementation returns the detector as [spec.NewHost] takes it in.
func Implementation() spec.Implementation {
	definition, _ := spec.DefinitionOf(spec.Toy)
	return spec.Implementation{
		Offer: spec.Offer{Detector: spec.Toy, Readings: definition.Readings, Features: definition.Features},
		New: func(_ spec.Reading, v spec.Value) (spec.Detector, error) {
			c, err := readConfig(v)
			return &detector{config: c}, err
		},
	}
}

// detector watches the outputs of one agent.
type detector struct {
	config
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
	return echo(d.config, d.count, d.trail.Last(d.count))
}

// Reset implements [spec.Detector].
func (d *detector) Reset() { // TY-5
	d.text, d.count = "", 0
	d.trail.Reset()
}
