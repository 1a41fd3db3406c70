// Command gate judges whether the working tree is slower than another revision:
//
//	make bench-gate BASE=main
//
// It builds the Go benchmarks of both, runs the two test programs in turns, and the older one twice in each round, so
// that the machine's own noise is measured in the same minutes as the difference. It judges by the processor's time per
// event, which other programs disturb least, and by wall time where the older revision agrees with itself. Whatever it
// cannot tell well enough is undecided.
//
// Exit codes: 0 no slower · 1 slower, or more allocations · 2 undecided.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/loopstone/loopstone/internal/suite/bench/compare"
	"github.com/loopstone/loopstone/internal/suite/bench/pipe"
)

// The exit codes, which are those of loopstone.
const (
	fine      = 0
	slower    = 1
	undecided = 2
	usage     = 64
)

// settings are the flags.
type settings struct {
	base   string
	bench  string
	skip   string
	time   string
	rounds int
	gate   compare.Gate
}

const (
	// quietBenchmarks are those of one goroutine: the scheduler has no part in them.
	quietBenchmarks = `^Benchmark(Observe|Parse|Decode|Canonical)$`
	// slowBenchmarks are left out of these: they would take more time than all others together.
	slowBenchmarks = `/detector=.*/.*/workload=(args-64k|args-1m|log-60k|log-100k|fingerprints-1000000)$`
)

func main() {
	s, err := readSettings(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(fine)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "gate: %v\n", err)
		os.Exit(usage)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := run(ctx, s, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "gate: undecided: %v\n", err)
	}
	os.Exit(code)
}

func readSettings(args []string) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("gate", flag.ContinueOnError)
	flags.StringVar(&s.base, "base", "", "the `revision` that the working tree is compared with")
	flags.StringVar(&s.bench, "bench", quietBenchmarks, "the benchmarks, as a regular `expression` of go test")
	flags.StringVar(&s.skip, "skip", slowBenchmarks, "the benchmarks that are left out, as a regular `expression` of go test")
	flags.StringVar(&s.time, "benchtime", "10ms", "how long each benchmark runs in a round")
	flags.IntVar(&s.rounds, "rounds", 10, "how often each program is run; the older one twice as often")
	gate := flags.String("gate", "25%", "how much slower is let through, in `percent`")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	if s.base == "" || flags.NArg() > 0 || s.rounds < 1 {
		return s, errors.New("usage: go run ./internal/guard/gate --base REVISION [flags]; --rounds must be above 0")
	}
	var err error
	s.gate, err = compare.ParseGate(*gate)
	return s, err
}

// run builds, measures and judges.
func run(ctx context.Context, s settings, out io.Writer) (int, error) {
	old, new, remove, err := build(ctx, s.base)
	if err != nil {
		return undecided, err
	}
	defer remove()
	return s.compare(ctx, old, new, out)
}

// compare measures and judges.
func (s settings) compare(ctx context.Context, old, new program, out io.Writer) (int, error) {
	load := pipe.Load()
	m, err := measure(ctx, s, old, new)
	if err != nil {
		return undecided, err
	}
	fmt.Fprintf(out, "load %.1f before, %.1f after; %d rounds, in each of them %s twice\n",
		load, pipe.Load(), s.rounds, s.base)
	return m.judge(s, out)
}
