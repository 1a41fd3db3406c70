package fuzz

import (
	"fmt"
	"hash/fnv"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/spec"
)

// drawn returns so many generated subjects for a check. The same seed gives the same subjects, others for each check,
// and each subject has a seed of its own, so that it can be drawn again without those before it.
func (h *Fuzzer) drawn(check Check, n int, seed uint64) subjects {
	generator := rapid.Custom(h.Draw)
	seeds := seedsOf(check.ID, seed)
	return subjects{n, func(i int) Subject { return generator.Example(int(seeds(i))) }}
}

// seedsOf returns the seeds of the subjects that a check gets. They are spread over all numbers, since the next round's
// seed is one higher and must not bring the same subjects again.
func seedsOf(check string, seed uint64) func(i int) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d", check, seed)
	first := h.Sum64()
	const golden = 0x9e3779b97f4a7c15 // multiples of it lie as far apart as can be
	return func(i int) uint64 {
		return max(first+uint64(i)*golden, 1) // 0 would be a seed from the clock
	}
}

// DrawEvents returns the events of the trace that a seed draws: those of its first agent, up to the first reset; none
// where the seed draws a function call.
func DrawEvents(draw func(*rapid.T) Subject, seed uint64) []spec.Value {
	s := rapid.Custom(draw).Example(int(max(seed, 1))) // 0 would be a seed from the clock
	var events []spec.Value
	for _, step := range s.Single().Steps {
		if step.IsReset() {
			break
		}
		events = append(events, step.Event)
	}
	return events
}
