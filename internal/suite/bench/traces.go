package bench

import (
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// callWorkloads are what an agent does with its tools.
func callWorkloads() []Workload {
	return []Workload{
		{Name: "healthy", Event: healthyCall},
		{Name: "tight-loop", Event: func(int) spec.Value { return readFile("src/parser.go", 1) }},
		{Name: "near-repeat", Event: func(i int) spec.Value { return readFile("src/parser.go", i) }},
		{Name: "ping-pong", Event: func(i int) spec.Value { return readFile([]string{"src/a.go", "src/b.go"}[i%2], 1) }},
		{Name: "args-200", Event: longCall(200, ringStep)},
		{Name: "args-1k", Event: longCall(1<<10, ringStep)},
		{Name: "args-64k", Event: longCall(64<<10, ringStep)},
		{Name: "args-1m", cycle: 24, Event: longCall(1<<20, 24)},
		{Name: "deep-args", Event: deepCall},
		{Name: "many-tools", Event: manyTools},
		{Name: "window-boundary", Event: windowBoundary},
	}
}

func call(tool string, args spec.Value) spec.Value {
	return object("type", "tool_call", "tool", tool, "args", args)
}

// readFile is one small call; the number is an argument of no importance to what the call does.
func readFile(path string, number int) spec.Value {
	return call("read_file", object("path", path, "request", number))
}

// healthyCall is work that gets on: other tools and other arguments all the time.
func healthyCall(i int) spec.Value {
	d := diceAt(i)
	path := fmt.Sprintf("src/%s/%s_%d.go", d.pick(terms), d.pick(terms), d.below(1000))
	switch d.below(5) {
	case 0:
		return call("edit_file", object("path", path, "old", d.pick(terms), "new", d.pick(terms), "line", d.below(400)))
	case 1:
		return call("bash", object("command", "go test ./"+d.pick(terms)+" -run "+d.pick(terms)))
	case 2:
		return call("grep", object("pattern", d.pick(terms)+d.pick(terms), "path", "src", "limit", d.below(50)))
	default:
		return call("read_file", object("path", path, "offset", d.below(2000), "limit", 200))
	}
}

// longCall makes calls whose arguments are about size bytes long and differ only at their end, where a comparison
// takes longest. As many of them are different.
func longCall(size, different int) func(int) spec.Value {
	text := diceAt(size).prose(size - 40)
	return func(i int) spec.Value {
		return call("write_file", object("path", "notes.md", "content", fmt.Sprintf("%s%08d", text, i%different)))
	}
}

const depth = 32

// deepCall nests objects and arrays, with members that must be sorted at every level.
func deepCall(i int) spec.Value {
	args := object("leaf", i%ringStep)
	for level := range depth {
		args = object("z", level, "next", spec.ArrayValue(args), "a", level%2 == 0)
	}
	return call("plan", args)
}

func manyTools(i int) spec.Value {
	d := diceAt(i)
	return call(fmt.Sprintf("%s_%s_%d", d.pick(terms), d.pick(terms), d.below(4)), object("id", d.below(8)))
}

// windowBoundary repeats a call more often than the shortest window is long and then does other things until the
// longest has nearly forgotten it, so that counts rise to their limits and fall again.
func windowBoundary(i int) spec.Value {
	const cycle, repeats = 20, 12
	if i%cycle < repeats {
		return readFile("src/parser.go", 1)
	}
	return readFile("src/parser.go", i%cycle)
}

// answered puts the result of each call behind it, as a detector needs it that looks at what came of calls.
func answered(calls []Workload) []Workload {
	for i, w := range calls {
		event := w.Event
		calls[i].cycle *= 2
		calls[i].Event = func(i int) spec.Value {
			if i%2 == 0 {
				return event(i / 2)
			}
			return object("type", "tool_result", "content", "3 matches, the first in src/router.go")
		}
	}
	return calls
}

// outputWorkloads are what the iterations of an agent print.
func outputWorkloads() []Workload {
	output := func(name string, text func(i int) string) Workload {
		return Workload{Name: name, Event: func(i int) spec.Value { return object("type", "output", "text", text(i)) }}
	}
	return []Workload{
		output("short", shortOutput),
		output("tight-loop", func(int) string { return "Error: TypeError - login of undefined at src/auth.ts:45:7" }),
		output("near-repeat",
			func(i int) string { return fmt.Sprintf("Still looking into the %d requests that time out", i%97) }),
		output("log-like", func(i int) string { return logOutput(i, 2<<10) }),
		output("log-60k", func(i int) string { return logOutput(i, 60<<10) }), // the longest that RA-7 takes in
		output("log-100k", func(i int) string { return logOutput(i, 100<<10) }),
	}
}

// streamWorkloads are pieces of an answer without an end.
func streamWorkloads() []Workload {
	piece := func(name string, text func(i int) string) Workload {
		return Workload{Name: name, Event: func(i int) spec.Value { return object("type", "delta", "text", text(i)) }}
	}
	return []Workload{
		piece("prose", func(i int) string { return shortOutput(i) + ".\n" }),
		piece("chant", func(int) string { return "Let me look at this once more. " }),
		piece("log-like", func(i int) string { return logOutput(i, 2<<10) }),
	}
}

// shortOutput is one of the sentences with which agents say what they did.
func shortOutput(i int) string {
	d := diceAt(i)
	file := d.pick(terms) + d.pick([]string{".ts", ".go", ".py", ".js"})
	switch d.below(5) {
	case 0:
		return fmt.Sprintf("Modified %s line %d, added %s to %s", file, d.below(400), d.pick(terms), d.pick(terms))
	case 1:
		return fmt.Sprintf("%d tests failed: %s - %s %s", 1+d.below(5), file, d.pick(terms), d.pick(terms))
	case 2:
		return fmt.Sprintf("Error: RangeError - bad %s at %s:%d", d.pick(terms), file, d.below(400))
	case 3:
		return fmt.Sprintf("Searched the code for '%s %s', %d results", d.pick(terms), d.pick(terms), d.below(20))
	default:
		return "Now I have a good picture of how the " + d.pick(terms) + " talks to the " + d.pick(terms)
	}
}

// logOutput is what a test run prints, of about size bytes: long stretches of no interest, then what matters.
func logOutput(i, size int) string {
	d := diceAt(i)
	var log strings.Builder
	log.Grow(size + 200)
	for line := 0; log.Len() < size; line++ {
		fmt.Fprintf(&log, "12:%02d:%02d INFO  [%s] %s %s ok (%d ms)\n",
			line/60%60, line%60, d.pick(terms), d.pick(terms), d.pick(terms), d.below(900))
	}
	fmt.Fprintf(&log, "--- FAIL: %s_%s\n%d tests failed\n", d.pick(terms), d.pick(terms), 1+d.below(9))
	return log.String()
}

// logsAreLong marks the longest outputs as long, for a detector that takes seconds for each in a slow language.
func logsAreLong(outputs []Workload) []Workload {
	outputs[len(outputs)-2].Long = true
	outputs[len(outputs)-1].Long = true
	return outputs
}

// iterations makes of each output the iteration that printed it.
func iterations(outputs []Workload) []Workload {
	for i, w := range outputs {
		event := w.Event
		outputs[i].Event = func(i int) spec.Value {
			return object("type", "iteration", "elapsed_s", i%3600, "output", event(i).Get("text"), "failed", i%4 == 3)
		}
	}
	return outputs
}

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
	return Workload{Name: name, Before: fingerprints, Long: fingerprints > 100_000, Event: func(i int) spec.Value {
		d := diceAt(i)
		file := i * stride % fingerprints
		args := object("path", fmt.Sprintf("src/%s/file_%d.go", terms[file%len(terms)], file))
		return object("type", "tool_call", "tool", "read_file", "args", args, "worker", fmt.Sprintf("w%d", d.below(workers)))
	}}
}

// stride is prime to every number of fingerprints, so that the visits do not go in the order of the names.
const stride = 7919
