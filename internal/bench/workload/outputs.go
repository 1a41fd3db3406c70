package workload

import (
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// outputWorkloads are what the iterations of an agent print.
func outputWorkloads() []Workload {
	outputs := map[string]func(int) string{
		"short":       shortOutput,
		"tight-loop":  func(int) string { return "Error: TypeError - login of undefined at src/auth.ts:45:7" },
		"near-repeat": func(i int) string { return fmt.Sprintf("Still looking into the %d requests that time out", i%97) },
		"log-like":    func(i int) string { return logOutput(i, 2<<10) },
		"log-100k":    func(i int) string { return logOutput(i, 100<<10) },
	}
	var workloads []Workload
	for _, name := range []string{"short", "tight-loop", "near-repeat", "log-like", "log-100k"} {
		text := outputs[name]
		workloads = append(workloads, Workload{Name: name, event: func(i int) spec.Value {
			return object("type", "output", "text", text(i))
		}})
	}
	return workloads
}

// shortOutput is one of the sentences with which agents say what they did.
func shortOutput(i int) string {
	d := diceAt(i)
	file := d.pick(words) + d.pick([]string{".ts", ".go", ".py", ".js"})
	switch d.below(5) {
	case 0:
		return fmt.Sprintf("Modified %s line %d, added %s to %s", file, d.below(400), d.pick(words), d.pick(words))
	case 1:
		return fmt.Sprintf("%d tests failed: %s - %s %s", 1+d.below(5), file, d.pick(words), d.pick(words))
	case 2:
		return fmt.Sprintf("Error: RangeError - bad %s at %s:%d", d.pick(words), file, d.below(400))
	case 3:
		return fmt.Sprintf("Searched the code for '%s %s', %d results", d.pick(words), d.pick(words), d.below(20))
	default:
		return "Now I have a good picture of how the " + d.pick(words) + " talks to the " + d.pick(words)
	}
}

// logOutput is what a test run prints, of about size bytes: long stretches of no interest, then what matters.
func logOutput(i, size int) string {
	d := diceAt(i)
	var log strings.Builder
	log.Grow(size + 200)
	for line := 0; log.Len() < size; line++ {
		fmt.Fprintf(&log, "12:%02d:%02d INFO  [%s] %s %s ok (%d ms)\n",
			line/60%60, line%60, d.pick(words), d.pick(words), d.pick(words), d.below(900))
	}
	fmt.Fprintf(&log, "--- FAIL: %s_%s\n%d tests failed\n", d.pick(words), d.pick(words), 1+d.below(9))
	return log.String()
}

// longestIsLong marks the longest outputs as long, for a detector whose time grows with the square of an output.
func longestIsLong(outputs []Workload) []Workload {
	outputs[len(outputs)-1].Long = true
	return outputs
}

// iterations makes of each output the iteration that printed it.
func iterations(outputs []Workload) []Workload {
	for i, w := range outputs {
		event := w.event
		outputs[i].event = func(i int) spec.Value {
			return object("type", "iteration", "elapsed_s", i%3600, "output", event(i).Get("text"), "failed", i%4 == 3)
		}
	}
	return outputs
}
