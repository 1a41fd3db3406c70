package bench

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// Workload is one trace without an end, for benchmarks to feed to detectors. It is made of a fixed seed and of nothing
// else, as JSON values, so that every port, in every language and at every time, is given the very same events.
type Workload struct {
	Name string

	// Before is how many events a detector must have observed for the workload to be what its name says: a benchmark
	// feeds as many before it measures.
	Before int

	// Long says that it takes minutes, be it to prepare or because one event takes seconds in a slow language: it is
	// measured only where it is asked for.
	Long bool

	cycle int // events that are enough for a ring, where ringStep of them take too much memory; 0 for ringStep

	// Event returns the event at position i, from 0. It depends on the position alone.
	Event func(i int) spec.Value
}

// Events returns n events from a position on.
func (w Workload) Events(from, n int) []spec.Value {
	events := make([]spec.Value, n)
	for i := range events {
		events[i] = w.Event(from + i)
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
	size := len(w.Event(0).String())
	if w.cycle > 0 {
		return w.Events(0, w.cycle)
	}
	n := min(ringBytes/size/ringStep*ringStep, ringMost)
	return w.Events(0, max(n, ringStep))
}

// Set is all that a detector is measured with.
type Set struct {
	Workloads []Workload
	// Everyday names a workload without long loops, whose windows change all the time.
	Everyday string
	// Steady names the workload that growth is judged by: nothing is counted without an end for good reasons. A swarm
	// is given one fingerprint: with many, it takes long until each has as much evidence as a verdict may name.
	Steady string
}

// For returns the workloads of a detector, by its row of the table of detectors.
func For(id spec.DetectorID) (Set, error) {
	definition, known := spec.DefinitionOf(id)
	if !known {
		return Set{}, fmt.Errorf("find the workloads of %q: no such detector", id)
	}
	switch about := definition.Observes[0]; {
	case about == spec.Iteration:
		return Set{iterations(outputWorkloads()), "short", "short"}, nil
	case about == spec.Output && id == spec.Ralph: // its time grows with the square of an output
		return Set{logsAreLong(outputWorkloads()), "short", "short"}, nil
	case about == spec.Output:
		return Set{outputWorkloads(), "short", "short"}, nil
	case about == spec.Delta:
		return Set{streamWorkloads(), "prose", "prose"}, nil
	case about != spec.ToolCall:
		return Set{}, fmt.Errorf("find the workloads of %s: there are none of %s", id, about)
	case slices.Contains(definition.Demands[spec.ToolCall], "worker"):
		return Set{swarmWorkloads(), "workers-8", "fingerprints-1"}, nil
	case slices.ContainsFunc(definition.Rules, countsAnswers):
		return Set{answered(callWorkloads()), "healthy", "healthy"}, nil
	default:
		return Set{callWorkloads(), "healthy", "healthy"}, nil
	}
}

// countsAnswers reports whether a rule looks at calls and at what came of them.
func countsAnswers(r spec.Rule) bool {
	return slices.Contains(r.Counts, spec.ToolCall) && slices.Contains(r.Counts, spec.ToolResult)
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

// seed makes the workloads what they are; another one would make other workloads, and end every comparison with
// figures from before.
const seed = 0x10095704E

// dice is the SplitMix64 generator of Steele, Lea and Flood: four lines in any language, and the same numbers in all.
type dice uint64

// diceAt returns the dice of one position of a trace.
func diceAt(i int) *dice {
	d := dice(seed + uint64(i)*0x9E3779B97F4A7C15)
	return &d
}

func (d *dice) next() uint64 {
	*d += 0x9E3779B97F4A7C15
	z := uint64(*d)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// below returns a number from 0 to n−1. For the small n of the workloads the bias does not matter.
func (d *dice) below(n int) int { return int(d.next() % uint64(n)) }

func (d *dice) pick(from []string) string { return from[d.below(len(from))] }

// terms are the words of which files, commands and texts are made.
var terms = []string{
	"parser", "token", "session", "router", "cache", "login", "invoice", "report", "queue", "worker", "schema", "index",
	"render", "config", "upload", "search", "filter", "export", "client", "server", "handler", "timeout", "retry", "state",
}

// prose returns n bytes of words, in lines.
func (d *dice) prose(n int) string {
	var text strings.Builder
	text.Grow(n + 16)
	for i := 1; text.Len() < n; i++ {
		text.WriteString(d.pick(terms))
		if i%12 == 0 {
			text.WriteByte('\n')
		} else {
			text.WriteByte(' ')
		}
	}
	return text.String()[:n]
}
