// Command beside compares how long a whole run of the suite takes with how long another suite of the same kind takes,
// toml-test with a decoder of its own language:
//
//	go run ./internal/bench/beside bin/loopstone
//
// The commands run in turns, round by round, so that each ratio is one of neighbours in time. Of each run the operating
// system tells the wall time, the processor's time and the memory, of all the processes that it started; the suites
// tell how many tests they made. toml-test is fetched from the module proxy and built, once, into a folder that is
// removed at the end.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/loopstone/loopstone/internal/bench/pipe"
)

// The other suite, and the adapter of a port in its own language.
const (
	tomlTest = "github.com/toml-lang/toml-test/v2/cmd/toml-test@v2.2.0"
	decoder  = "github.com/BurntSushi/toml/cmd/toml-test-decoder@v1.6.0"
)

func main() {
	rounds := flag.Int("rounds", 10, "how often each command is run")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: beside [--rounds N] bin/loopstone")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 || *rounds < 1 {
		flag.Usage()
		os.Exit(64)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := beside(ctx, os.Stdout, flag.Arg(0), *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "beside:", err)
		os.Exit(1)
	}
}

// run is one way to run a suite, and what was measured of it.
type run struct {
	name    string
	words   []string
	tests   *regexp.Regexp // finds numbers in the output whose sum is how many tests there were
	samples []sample
}

// sample is one run.
type sample struct {
	tests     int
	wall, cpu time.Duration
	memory    int64 // of the largest process, in bytes
}

// rate and cpuRate return tests per second of the clock and of the processor, which other programs disturb less.
func (s sample) rate() float64    { return float64(s.tests) / s.wall.Seconds() }
func (s sample) cpuRate() float64 { return float64(s.tests) / s.cpu.Seconds() }

func beside(ctx context.Context, out io.Writer, loopstone string, rounds int) error {
	folder, err := os.MkdirTemp("", "loopstone-beside-")
	if err != nil {
		return fmt.Errorf("make a folder for toml-test: %w", err)
	}
	defer os.RemoveAll(folder)
	if err := install(ctx, folder); err != nil {
		return err
	}
	if warning := pipe.Busy(); warning != "" {
		fmt.Fprintln(out, warning)
	}
	ours, theirs := regexp.MustCompile(`of (\d+) tests passed`), regexp.MustCompile(`(\d+) (?:passed|failed)`)
	runs := []*run{
		{name: "loopstone test", words: []string{loopstone, "test"}, tests: ours},
		{name: "loopstone test --no-properties", words: []string{loopstone, "test", "--no-properties"}, tests: ours},
		{name: "toml-test, its own decoder", words: []string{
			filepath.Join(folder, "toml-test"), "test", "-decoder=" + filepath.Join(folder, "toml-test-decoder"),
		}, tests: theirs},
	}
	for round := range rounds + 1 { // the first warms the machine up
		for _, r := range runs {
			s, err := r.measure(ctx)
			if err != nil {
				return err
			}
			if round > 0 {
				r.samples = append(r.samples, s)
			}
		}
	}
	return write(out, runs)
}

// install builds the other suite into a folder.
func install(ctx context.Context, folder string) error {
	for _, program := range []string{tomlTest, decoder} {
		command := exec.CommandContext(ctx, "go", "install", program)
		command.Env = append(os.Environ(), "GOBIN="+folder)
		if text, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("install %s: %w\n%s", program, err, text)
		}
	}
	return nil
}

// measure runs the command once. That some tests fail is no matter; that none is made is an error.
func (r *run) measure(ctx context.Context) (sample, error) {
	command := exec.CommandContext(ctx, r.words[0], r.words[1:]...)
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	start := time.Now()
	err := command.Run()
	s := sample{wall: time.Since(start)}
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed || ctx.Err() != nil {
		return s, fmt.Errorf("run %s: %w", r.name, errors.Join(err, ctx.Err()))
	}
	s.cpu = command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	s.memory = peakMemory(command.ProcessState)
	for _, found := range r.tests.FindAllStringSubmatch(out.String(), -1) {
		n, _ := strconv.Atoi(found[1]) // digits only
		s.tests += n
	}
	if s.tests == 0 {
		return s, fmt.Errorf("%s made no test:\n%s", r.name, out.String())
	}
	return s, nil
}

// write prints medians, and how many times as many tests per second as the last of the runs in the same round.
func write(out io.Writer, runs []*run) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "suite\ttests\twall\tprocessor\tmemory\ttests/s\ttimes as many\tper processor second\ttimes as many")
	for _, r := range runs {
		base := runs[len(runs)-1]
		fmt.Fprintf(table, "%s\t%d\t%.2f s\t%.2f s\t%.0f MB\t%.0f\t%s\t%.0f\t%s\n", r.name, r.samples[0].tests,
			r.median(func(s sample) float64 { return s.wall.Seconds() }), r.median(func(s sample) float64 { return s.cpu.Seconds() }),
			r.median(func(s sample) float64 { return float64(s.memory) / 1e6 }), r.median(sample.rate),
			r.times(base, sample.rate), r.median(sample.cpuRate), r.times(base, sample.cpuRate))
	}
	return table.Flush()
}

// times returns how many times another run's rate this run's is: the median of the rounds, the least and the most.
func (r *run) times(other *run, rate func(sample) float64) string {
	var ratios []float64
	for i, s := range r.samples {
		ratios = append(ratios, rate(s)/rate(other.samples[i]))
	}
	slices.Sort(ratios)
	return fmt.Sprintf("%.1f (%.1f to %.1f)", middle(ratios), ratios[0], ratios[len(ratios)-1])
}

// median returns the median of one measure of the samples.
func (r *run) median(of func(sample) float64) float64 {
	var values []float64
	for _, s := range r.samples {
		values = append(values, of(s))
	}
	slices.Sort(values)
	return middle(values)
}

// middle returns the median of values that are sorted.
func middle(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
