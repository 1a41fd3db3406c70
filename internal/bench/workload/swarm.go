package workload

import (
	"fmt"

	"github.com/loopstone/loopstone/spec"
)

// swarmWorkloads are the calls of many workers: their names say how many workers there are, with a thousand
// fingerprints, or how many fingerprints, with eight workers.
func swarmWorkloads() []Workload {
	return []Workload{
		swarmWorkload("workers-1", 1, 1000),
		swarmWorkload("workers-8", 8, 1000),
		swarmWorkload("workers-64", 64, 1000),
		swarmWorkload("fingerprints-1", 8, 1),
		swarmWorkload("fingerprints-1000000", 8, 1_000_000),
	}
}

// swarmWorkload visits each fingerprint once before it comes back to any, so that all are there after as many events.
func swarmWorkload(name string, workers, fingerprints int) Workload {
	return Workload{Name: name, Before: fingerprints, Long: fingerprints > 100_000, event: func(i int) spec.Value {
		d := diceAt(i)
		file := i * stride % fingerprints
		args := object("path", fmt.Sprintf("src/%s/file_%d.go", words[file%len(words)], file))
		return object("type", "tool_call", "tool", "read_file", "args", args, "worker", fmt.Sprintf("w%d", d.below(workers)))
	}}
}

// stride is prime to every number of fingerprints, so that the visits do not go in the order of the names.
const stride = 7919
