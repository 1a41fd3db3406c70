package benchmarks_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// BenchmarkProfiles measures what one event costs each profile of composed, with windows of 30 and of 1,000 items: decoded events, no
// pipe, no JSON.
func BenchmarkProfiles(b *testing.B) {
	all, err := profile.All()
	if err != nil {
		b.Fatal(err)
	}
	for _, trace := range []struct {
		name  string
		calls int // different ones
	}{{"healthy", 1 << 20}, {"mixed", 40}, {"looping", 2}} {
		ring := steps(trace.calls)
		for _, p := range all {
			if p.ID().Row() != spec.Composed {
				continue
			}
			for _, window := range []int{30, 1000} {
				b.Run(fmt.Sprintf("profile=%s/trace=%s/window=%d", p.Name, trace.name, window), func(b *testing.B) {
					detector, err := reference.Implementation(spec.Composed).New(spec.Code, withWindow(p.Config(), window))
					if err != nil {
						b.Fatal(err)
					}
					play(b, detector, ring)
				})
			}
		}
	}
}

// play observes a ring of events for as long as the benchmark goes on.
func play(b *testing.B, detector spec.Detector, ring []spec.Event) {
	warmUp(detector, ring)
	index := len(ring)
	b.ReportAllocs()
	defer cpuTime(b, 1)()
	for b.Loop() {
		event := ring[index%len(ring)]
		event.Index = index
		detector.Observe(event)
		index++
	}
}

// withWindow returns a configuration whose windows hold as many items.
func withWindow(config spec.Value, items int) spec.Value {
	var rules []spec.Value
	for _, r := range config.Get("rules").Items() {
		if pattern := r.Get("pattern"); !pattern.Get("last").IsAbsent() {
			r = r.With("pattern", pattern.With("last", spec.IntValue(items)))
		}
		rules = append(rules, r)
	}
	return config.With("rules", spec.ArrayValue(rules...))
}

// steps returns replies with a call each and its answer; of the calls so many are different. One answer in eight is a
// failure, one in four is news.
func steps(calls int) (events []spec.Event) {
	dice := rand.New(rand.NewPCG(1, 2))
	add := func(e spec.Event) {
		e.Index = len(events)
		events = append(events, e)
	}
	for n := range 3000 {
		call := dice.IntN(calls)
		add(spec.Event{Type: spec.Reply})
		add(spec.Event{
			Type: spec.ToolCall, Tool: []string{"read_file", "bash"}[call%2],
			Args: spec.ObjectValue(
				spec.Member{Name: "path", Value: spec.StringValue(fmt.Sprintf("src/part%d.go", call))},
				spec.Member{Name: "limit", Value: spec.IntValue(call)}),
		})
		text := fmt.Sprintf("package part\n\nconst number = %d\n", call)
		if dice.IntN(4) == 0 {
			text += fmt.Sprint(n)
		}
		add(spec.Event{Type: spec.ToolResult, Content: text, OK: dice.IntN(8) > 0})
	}
	return events
}
