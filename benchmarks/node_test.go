package benchmarks_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/loopstone/loopstone/spec"
)

// nodeEvents is of how many events a round of BenchmarkPipeNode is made: they share what it costs to compile a port.
const nodeEvents = 128_000

// BenchmarkPipeNode measures whole detectors of the port for Node beside an echo, which reads each line as JSON and
// writes it as JSON. Both are given the same requests from a file, in turns; an operation is a round of both. What
// counts is the processor's time, start-up taken off, in the best round of each.
//
//	go test ./benchmarks -run '^$' -bench PipeNode -benchtime 7x -timeout 60m
func BenchmarkPipeNode(b *testing.B) {
	const echo, port = "testdata/echo.mjs", "../conformance/adapters/typescript/ports/all.js"
	for _, batch := range []int{1, 64} {
		for _, d := range spec.Detectors() {
			if d.Workload == spec.SlowOutputWorkload {
				continue // it compares each output with all others: the pipe hardly matters
			}
			for _, reading := range d.Readings {
				b.Run(fmt.Sprintf("detector=%s/reading=%s/batch=%d", d.ID, reading, batch), func(b *testing.B) {
					requests, nothing := nodeRequests(b, d.ID, reading, batch), filepath.Join(b.TempDir(), "nothing")
					if err := os.WriteFile(nothing, nil, 0o600); err != nil {
						b.Fatal(err)
					}
					mustAnswer(b, port, requests)
					var echoes, ports rounds
					for range b.N {
						echoes.add(nodeTime(b, echo, requests), nodeTime(b, echo, nothing))
						ports.add(nodeTime(b, port, requests), nodeTime(b, port, nothing))
					}
					b.ReportMetric(echoes.least(), "echo-cpu-ns/event")
					b.ReportMetric(ports.least(), "port-cpu-ns/event")
					b.ReportMetric(100*echoes.least()/ports.least(), "%-of-echo")
					b.ReportMetric(100*echoes.median()/ports.median(), "%-of-echo-by-medians")
					b.ReportMetric(0, "ns/op") // is not printed: it is wall time
				})
			}
		}
	}
}

// nodeRequests writes the requests to a file: one session, and a batch of events in each line.
func nodeRequests(b *testing.B, id spec.DetectorID, reading spec.Reading, batch int) string {
	w := everyday(b, id)
	config := w.Config
	if config.IsAbsent() {
		config = spec.ObjectValue()
	}
	lines := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":0,"method":"session/open","params":{"session":"s",`+
		`"detector":%q,"reading":%q,"config":%s}}`+"\n", id, reading, config)
	ring := w.Ring()
	for line := range nodeEvents / batch {
		events := make([]spec.Value, batch)
		for i := range events {
			events[i] = ring[(line*batch+i)%len(ring)]
		}
		lines = fmt.Appendf(lines, `{"jsonrpc":"2.0","id":%d,"method":"session/observe","params":{"session":"s",`+
			`"events":%s}}`+"\n", line+1, spec.ArrayValue(events...))
	}
	file := filepath.Join(b.TempDir(), "requests")
	if err := os.WriteFile(file, lines, 0o600); err != nil {
		b.Fatal(err)
	}
	return file
}

// mustAnswer fails where the port refuses a request: a refusal has no speed.
func mustAnswer(b *testing.B, port, requests string) {
	stdin, err := os.Open(requests)
	if err != nil {
		b.Fatal(err)
	}
	defer stdin.Close()
	command := exec.Command("node", port)
	command.Stdin, command.Stderr = stdin, os.Stderr
	answers, err := command.Output()
	if err != nil {
		b.Fatalf("run %s: %v", port, err)
	}
	for line := range bytes.Lines(answers) {
		if !bytes.Contains(line, []byte(`"result"`)) {
			b.Fatalf("the port refused a request: %.300s", line)
		}
	}
}

// nodeTime returns the processor's time that a program for Node needs for its input.
func nodeTime(b *testing.B, program, input string) time.Duration {
	stdin, err := os.Open(input)
	if err != nil {
		b.Fatal(err)
	}
	defer stdin.Close()
	command := exec.Command("node", program)
	command.Stdin, command.Stderr = stdin, os.Stderr
	if err := command.Run(); err != nil {
		b.Fatalf("run %s: %v", program, err)
	}
	return command.ProcessState.UserTime() + command.ProcessState.SystemTime()
}

// rounds are what a program needed for all events, and for nothing but to start and to end.
type rounds struct{ all, idle []time.Duration }

func (r *rounds) add(all, idle time.Duration) {
	r.all, r.idle = append(r.all, all), append(r.idle, idle)
}

// least returns the nanoseconds of an event in the best rounds.
func (r *rounds) least() float64 { return float64(slices.Min(r.all)-slices.Min(r.idle)) / nodeEvents }

// median returns those of the median rounds.
func (r *rounds) median() float64 {
	slices.Sort(r.all)
	slices.Sort(r.idle)
	return float64(r.all[len(r.all)/2]-r.idle[len(r.idle)/2]) / nodeEvents
}
