package benchmarks_test

import (
	"bytes"
	"fmt"
	"io"
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
// writes it as JSON. Both are given the same requests from a file, one right after the other; an operation is a round of
// both. What counts is the processor's time, start-up taken off, and the median of what rounds say: a machine that is
// shared changes its speed within seconds, and a round is over before it does.
//
//	go test ./benchmarks -run '^$' -bench PipeNode -benchtime 11x -timeout 60m
func BenchmarkPipeNode(b *testing.B) {
	const echo, port = "testdata/echo.mjs", "../conformance/adapters/typescript/ports/all.js"
	for _, batch := range []int{1, 64} {
		for _, d := range spec.Detectors() {
			if d.ID == spec.Ralph {
				continue // it compares each output with all others: the pipe hardly matters
			}
			for _, reading := range d.Readings {
				b.Run(fmt.Sprintf("detector=%s/reading=%s/batch=%d", d.ID, reading, batch), func(b *testing.B) {
					requests, nothing := nodeRequests(b, d.ID, reading, batch), filepath.Join(b.TempDir(), "nothing")
					if err := os.WriteFile(nothing, nil, 0o600); err != nil {
						b.Fatal(err)
					}
					mustAnswer(b, port, requests)
					var echoes, ports, shares []float64
					for range b.N {
						e := nodeTime(b, echo, requests) - nodeTime(b, echo, nothing)
						p := nodeTime(b, port, requests) - nodeTime(b, port, nothing)
						echoes = append(echoes, float64(e)/nodeEvents)
						ports = append(ports, float64(p)/nodeEvents)
						shares = append(shares, 100*float64(e)/float64(p))
					}
					b.ReportMetric(median(echoes), "echo-cpu-ns/event")
					b.ReportMetric(median(ports), "port-cpu-ns/event")
					b.ReportMetric(median(shares), "%-of-echo")
					b.ReportMetric(0, "ns/op") // is not printed: it is wall time
				})
			}
		}
	}
}

// nodeRequests writes the requests to a file: one session, and a batch of events in each line.
func nodeRequests(b *testing.B, id spec.DetectorID, reading spec.Reading, batch int) string {
	w := everyday(b, id)
	lines := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":0,"method":"session/open","params":{"session":"s",`+
		`"detector":%q,"reading":%q}}`+"\n", id, reading)
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
	var answers bytes.Buffer
	runNode(b, port, requests, &answers)
	for line := range bytes.Lines(answers.Bytes()) {
		if !bytes.Contains(line, []byte(`"result"`)) {
			b.Fatalf("the port refused a request: %.300s", line)
		}
	}
}

// nodeTime returns the processor's time that a program for Node needs for its input.
func nodeTime(b *testing.B, program, input string) time.Duration {
	ended := runNode(b, program, input, nil)
	return ended.UserTime() + ended.SystemTime()
}

// runNode runs a program for Node on a file to its end.
func runNode(b *testing.B, program, input string, stdout io.Writer) *os.ProcessState {
	stdin, err := os.Open(input)
	if err != nil {
		b.Fatal(err)
	}
	defer stdin.Close()
	command := exec.Command("node", program)
	command.Stdin, command.Stdout, command.Stderr = stdin, stdout, os.Stderr
	if err := command.Run(); err != nil {
		b.Fatalf("run %s: %v", program, err)
	}
	return command.ProcessState
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}
