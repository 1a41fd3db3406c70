package workload

import (
	"fmt"

	"github.com/loopstone/loopstone/spec"
)

// callWorkloads are what an agent does with its tools.
func callWorkloads() []Workload {
	return []Workload{
		{Name: "healthy", event: healthyCall},
		{Name: "tight-loop", event: func(int) spec.Value { return readFile("src/parser.go", 1) }},
		{Name: "near-repeat", event: func(i int) spec.Value { return readFile("src/parser.go", i) }},
		{Name: "ping-pong", event: func(i int) spec.Value { return readFile([]string{"src/a.go", "src/b.go"}[i%2], 1) }},
		{Name: "args-200", event: longCall(200)},
		{Name: "args-1k", event: longCall(1 << 10)},
		{Name: "args-64k", event: longCall(64 << 10)},
		{Name: "deep-args", event: deepCall},
		{Name: "many-tools", event: manyTools},
		{Name: "window-boundary", event: windowBoundary},
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
	path := fmt.Sprintf("src/%s/%s_%d.go", d.pick(words), d.pick(words), d.below(1000))
	switch d.below(5) {
	case 0:
		return call("edit_file", object("path", path, "old", d.pick(words), "new", d.pick(words), "line", d.below(400)))
	case 1:
		return call("bash", object("command", "go test ./"+d.pick(words)+" -run "+d.pick(words)))
	case 2:
		return call("grep", object("pattern", d.pick(words)+d.pick(words), "path", "src", "limit", d.below(50)))
	default:
		return call("read_file", object("path", path, "offset", d.below(2000), "limit", 200))
	}
}

// longCall makes calls whose arguments are about size bytes long and differ only at their end, where a comparison
// takes longest.
func longCall(size int) func(int) spec.Value {
	text := diceAt(size).prose(size - 40)
	return func(i int) spec.Value {
		return call("write_file", object("path", "notes.md", "content", fmt.Sprintf("%s%08d", text, i%ringStep)))
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
	return call(fmt.Sprintf("%s_%s_%d", d.pick(words), d.pick(words), d.below(4)), object("id", d.below(8)))
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
		event := w.event
		calls[i].event = func(i int) spec.Value {
			if i%2 == 0 {
				return event(i / 2)
			}
			return object("type", "tool_result", "content", "3 matches, the first in src/router.go")
		}
	}
	return calls
}
