// Package workload holds the traces that benchmarks feed to detectors. They are made of a fixed seed and of nothing
// else, as JSON values, so that every port, in every language and at every time, is given the very same events.
package workload

import (
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// Workload is one trace without an end.
type Workload struct {
	Name   string
	Config spec.Value // of the session; absent for the defaults

	// Before is how many events a detector must have observed for the workload to be what its name says: a benchmark
	// feeds as many before it measures.
	Before int

	// Long says that it takes minutes, be it to prepare or because one event takes seconds in a slow language: it is
	// measured only where it is asked for.
	Long bool

	event func(i int) spec.Value
}

// Event returns the event at position i, from 0. It depends on the position alone.
func (w Workload) Event(i int) spec.Value { return w.event(i) }

// Events returns n events from a position on.
func (w Workload) Events(from, n int) []spec.Value {
	events := make([]spec.Value, n)
	for i := range events {
		events[i] = w.event(from + i)
	}
	return events
}

const (
	// ringBytes bounds the events that are kept in memory to be observed again and again.
	ringBytes = 4 << 20
	// ringStep divides every ring's length. The cycles of all workloads divide it in turn, so that a ring has no seam.
	ringStep = 80
	// ringMost is the longest ring: far longer than any window.
	ringMost = 50 * ringStep
)

// Ring returns events to be observed again and again, in place of a trace that memory would not hold: as many as fit
// into a few megabytes.
func (w Workload) Ring() []spec.Value {
	size := len(w.event(0).String())
	n := min(ringBytes/size/ringStep*ringStep, ringMost)
	return w.Events(0, max(n, ringStep))
}

// For returns the workloads of a detector; none for one that the specification does not have.
func For(id spec.DetectorID) []Workload {
	switch id {
	case spec.Fingerprint, spec.History:
		return callWorkloads()
	case spec.Crow:
		return answered(callWorkloads())
	case spec.Signature:
		return outputWorkloads()
	case spec.Ralph:
		return longestIsLong(outputWorkloads())
	case spec.Guards:
		return iterations(outputWorkloads())
	case spec.Swarm:
		return swarmWorkloads()
	default:
		return nil
	}
}

// Find returns the detector's workload of that name. Its error lists the names that there are.
func Find(id spec.DetectorID, name string) (Workload, error) {
	all := For(id)
	i := slices.IndexFunc(all, func(w Workload) bool { return w.Name == name })
	if i < 0 {
		return Workload{}, fmt.Errorf("find the workload %q of %s: there are %v", name, id, Names(all))
	}
	return all[i], nil
}

// Names lists the names of workloads, in their order.
func Names(workloads []Workload) []string {
	names := make([]string, len(workloads))
	for i, w := range workloads {
		names[i] = w.Name
	}
	return names
}

// object returns a JSON object of names and values in turn.
func object(namesAndValues ...any) spec.Value {
	members := make([]spec.Member, 0, len(namesAndValues)/2)
	for i := 0; i < len(namesAndValues); i += 2 {
		members = append(members, spec.Member{Name: namesAndValues[i].(string), Value: value(namesAndValues[i+1])})
	}
	return spec.ObjectValue(members...)
}

func value(v any) spec.Value {
	switch v := v.(type) {
	case spec.Value:
		return v
	case string:
		return spec.StringValue(v)
	case int:
		return spec.IntValue(v)
	case bool:
		return spec.BoolValue(v)
	default:
		panic(fmt.Sprintf("a %T in a workload", v))
	}
}
