package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/loopstone/loopstone/internal/bench/compare"
)

// measured holds the results of all rounds: of the older program twice, of the newer one once.
type measured struct{ old, again, new strings.Builder }

// measure runs the programs in turns; in every round another one is the first.
func measure(ctx context.Context, s settings, old, new program) (*measured, error) {
	var m measured
	turns := []struct {
		program program
		results *strings.Builder
	}{{old, &m.old}, {new, &m.new}, {old, &m.again}}
	for round := range s.rounds {
		for i := range turns {
			turn := turns[(i+round)%len(turns)]
			text, err := result(turn.program.folder, benchmarks(ctx, s, turn.program))
			if err != nil {
				return nil, err
			}
			turn.results.WriteString(text + "\n")
		}
	}
	return &m, nil
}

// collection keeps the garbage collector out of what is measured: a benchmark of a few milliseconds in which it happens
// to run takes up to seven times as long as one in which it does not. What is left for it is judged by the allocations,
// which are counted. The limit is far above what a round needs; it is for programs that allocate without end.
var collection = []string{"GOGC=off", "GOMEMLIMIT=2GiB"}

// benchmarks returns the command of one round.
func benchmarks(ctx context.Context, s settings, p program) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.path, "-test.run=^$", "-test.bench="+s.bench, "-test.skip="+s.skip,
		"-test.benchtime="+s.time, "-test.benchmem")
	cmd.Env = append(os.Environ(), collection...)
	return cmd
}

// judge compares the older program with itself, and where that was quiet enough, with the newer one.
func (m *measured) judge(s settings, out io.Writer) (int, error) {
	calibration, err := compare.Compare(source("base", &m.old), source("base again", &m.again), compare.Options{})
	if err != nil {
		return undecided, err
	}
	noise := calibration.Noise()
	fmt.Fprintf(out, "noise: %s differs from itself by up to %.1f%% (%s, %s)\n", s.base, 100*noise.Delta, noise.Benchmark, noise.Unit)
	c, err := compare.Compare(source("base", &m.old), source("new", &m.new), compare.Options{})
	if err != nil {
		return undecided, err
	}
	if err := c.Write(out); err != nil {
		return undecided, fmt.Errorf("write the comparison: %w", err)
	}
	findings := c.Judge(s.gate)
	counted := 0
	for _, f := range findings {
		if f.Counted() {
			counted++
			fmt.Fprintf(out, "worse: %s\n", f)
		}
	}
	if counted > 0 { // noise does not allocate
		return slower, nil
	}
	if noise.Delta > float64(s.gate) {
		return undecided, fmt.Errorf("the machine's noise, %.1f%%, is above the gate, %s: try again when it is quieter", 100*noise.Delta, s.gate)
	}
	for _, f := range findings {
		fmt.Fprintf(out, "worse by more than %s: %s\n", s.gate, f)
	}
	switch {
	case len(findings) > 0:
		return slower, nil
	case len(c.Problems) > 0:
		return undecided, fmt.Errorf("%d problems keep this from being judged", len(c.Problems))
	}
	fmt.Fprintf(out, "no benchmark is worse by more than %s\n", s.gate)
	return fine, nil
}

func source(label string, results *strings.Builder) compare.Source {
	return compare.Source{Label: label, Text: strings.NewReader(results.String())}
}
