// Package demoport holds a port with one fault, which loopstone demo tests and replays.
package demoport

import "github.com/loopstone/loopstone/spec"

// offer is what the port declares.
var offer = spec.Offer{Detector: spec.History, Readings: []spec.Reading{spec.Code}}

// history is a port of the detector history. Its fault: it counts only equal calls in a row, where HI-13 counts all
// equal calls in the window.
type history struct {
	threshold, size int
	window          []string
}

// Port returns the port.
func Port() spec.Port {
	return spec.NewHost(
		spec.Description{Name: "my-port", Version: "1.0", Language: "go"},
		spec.Implementation{Offer: offer, New: newHistory},
	)
}

func newHistory(reading spec.Reading, config spec.Value) (spec.Detector, error) {
	settings, err := offer.Read(reading, config)
	return &history{threshold: settings.Number("repeat_threshold"), size: settings.Number("history_size")}, err
}

func (h *history) Reset() { h.window = nil }

func (h *history) Observe(e spec.Event) spec.Verdict {
	if e.Type != spec.ToolCall {
		return spec.Verdict{}
	}
	h.window = append(h.window, e.Tool+":"+e.Args.Canonical())
	h.window = h.window[max(0, len(h.window)-h.size):]
	v := spec.Verdict{}
	inARow := 0
	for i, call := range h.window {
		if i > 0 && call != h.window[i-1] {
			inARow = 0 // the fault
		}
		inARow++
		v.Count = max(v.Count, inARow)
	}
	if v.Count >= h.threshold {
		v.Loop, v.Kind = true, spec.KindRepeat
	}
	return v
}
