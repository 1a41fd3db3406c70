package bench

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/loopstone/loopstone/spec"
)

// Results writes samples in Go's benchmark format. The name of the port is a comment and no configuration, so that
// benchstat puts the results of two ports into one table.
type Results struct {
	out    io.Writer
	header string // which the first sample comes with
}

// NewResults returns Results that are written to out as they come.
func NewResults(out io.Writer, port string) *Results {
	header := "# " + port + "\n"
	if warning := Busy(); warning != "" {
		header += "# " + warning + "\n"
	}
	return &Results{out: out, header: header + "pkg: loopstone/pipe\nsuite: " + spec.Version + "\n" + machine() + units}
}

// units tells benchstat in which direction each unit of ours is better.
const units = `Unit ns/event better=lower
Unit events/s better=higher
Unit p50-ns/call better=lower
Unit p99-ns/call better=lower
Unit pipe-ns/event better=lower
Unit noop-p50-ns/call better=lower
Unit resident-bytes better=lower
`

// Add writes a sample: one line.
func (r *Results) Add(target Target, s Sample) error {
	line := bytes.NewBufferString(r.header)
	r.header = ""
	fmt.Fprintf(line,
		"BenchmarkPipe/%s %d %d ns/event %.0f events/s %d p50-ns/call %d p99-ns/call %d pipe-ns/event %d noop-p50-ns/call",
		target, s.Events, s.PerEvent, 1/max(s.PerEvent, time.Nanosecond).Seconds(), s.P50, s.P99, s.PipeEvent, s.NoopP50)
	if s.Resident > 0 {
		fmt.Fprintf(line, " %d resident-bytes", s.Resident)
	}
	line.WriteByte('\n')
	if _, err := r.out.Write(line.Bytes()); err != nil {
		return fmt.Errorf("write a result: %w", err)
	}
	return nil
}

// machine returns the lines with which Go's own benchmarks tell where they ran, and how many processors there were.
func machine() string {
	text := fmt.Sprintf("goos: %s\ngoarch: %s\n", runtime.GOOS, runtime.GOARCH)
	info, _ := os.ReadFile("/proc/cpuinfo") // the name is left out where the operating system does not say it
	for line := range strings.Lines(string(info)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			text += "cpu: " + strings.TrimSpace(value) + "\n"
			break
		}
	}
	return text + fmt.Sprintf("processors: %d\n", runtime.NumCPU())
}

// Busy warns of figures that are taken while the machine has other work to do; it is empty where it has none, or the
// operating system does not say.
func Busy() string {
	text, _ := os.ReadFile("/proc/loadavg")
	var load float64 // how many programs wanted to run, on average of the last minute
	if _, _ = fmt.Sscan(string(text), &load); load < 1 {
		return ""
	}
	return fmt.Sprintf("preliminary: busy machine, load %.1f before the first sample", load)
}
