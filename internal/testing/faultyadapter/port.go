package faultyadapter

import (
	"github.com/loopstone/loopstone/spec"
)

// Port returns a small honest port for adapters to serve where the test has none of its own. Its one detector, under
// the name of history, says that there is a loop from the third event on, and can be snapshotted; its function
// history.hash returns its args.
func Port() *spec.Host {
	return spec.NewHost(
		spec.Description{Name: "small", Version: "1", Language: "Go"},
		spec.Implementation{
			Offer: spec.Offer{
				Detector: spec.History,
				Readings: []spec.Reading{spec.Code},
				Features: []spec.Feature{spec.Hashes, spec.Snapshots, spec.State},
			},
			New: newCounter,
			Functions: map[string]func(spec.Reading, spec.Value) (spec.Value, error){
				"history.hash": func(_ spec.Reading, args spec.Value) (spec.Value, error) { return args, nil },
			},
		},
	)
}

// counter counts events.
type counter struct{ threshold, count int }

func newCounter(r spec.Reading, config spec.Value) (spec.Detector, error) {
	s, err := spec.Offer{Detector: spec.History, Settings: []string{"repeat_threshold"}}.Read(r, config)
	return &counter{threshold: s.Number("repeat_threshold")}, err
}

func (c *counter) Observe(spec.Event) spec.Verdict {
	c.count++
	if c.count < c.threshold {
		return spec.Verdict{Count: c.count}
	}
	return spec.Verdict{Loop: true, Kind: spec.KindRepeat, Count: c.count}
}

func (c *counter) Reset() { c.count = 0 }

func (c *counter) State() spec.Value { return c.Snapshot() }

func (c *counter) Snapshot() spec.Value {
	return spec.ObjectValue(spec.Member{Name: "count", Value: spec.IntValue(c.count)})
}

func (c *counter) Restore(state spec.Value) error {
	count, ok := state.Get("count").Int()
	if !ok || count < 0 {
		return spec.BadState("count: want an integer of at least 0, got %s", state.Get("count"))
	}
	c.count = count
	return nil
}
