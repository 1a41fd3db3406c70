package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/bench/pipe"
	"github.com/loopstone/loopstone/internal/bench/workload"
	"github.com/loopstone/loopstone/reference/swarm"
	"github.com/loopstone/loopstone/spec"
)

// contestant is one of the ports that stand side by side.
type contestant struct {
	name    string
	command stdio.Command
}

// contestants returns the reference and those of its ports that are there and can be run here.
func (b *bench) contestants() []contestant {
	all := []contestant{{"reference (Go)", stdio.Command{Path: b.tool(), Args: []string{"serve"}}}}
	for _, c := range []struct{ name, program, file string }{
		{"Python port", "python3", "conformance/adapters/python/ports/all.py"},
		{"TypeScript port", "node", "conformance/adapters/typescript/ports/all.js"},
	} {
		file := filepath.Join(b.root, c.file)
		if _, err := os.Stat(file); err == nil && installed(c.program) {
			all = append(all, contestant{c.name, stdio.Command{Path: c.program, Args: []string{file}}})
		}
	}
	return all
}

func installed(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// showcases are the workloads that stand for a detector in the table of ports.
var showcases = map[spec.DetectorID]string{
	spec.Fingerprint: "healthy", spec.History: "healthy", spec.Crow: "healthy",
	spec.Signature: "short", spec.Ralph: "short", spec.Guards: "short", spec.Swarm: "workers-8",
}

// ports compares the ports through the pipe.
func (b *bench) ports() (string, error) {
	all := b.contestants()
	t := table{head: []string{"detector", "workload"}}
	for _, c := range all {
		t.head = append(t.head, c.name)
	}
	var memory []string
	for _, profile := range spec.Profiles() {
		w, err := workload.Find(profile.ID, showcases[profile.ID])
		if err != nil {
			return "", err
		}
		for _, reading := range profile.Readings {
			target := pipe.Target{Detector: profile.ID, Reading: reading, Workload: w}
			cells, resident, err := b.race(all, target)
			if err != nil {
				return "", err
			}
			t.row(append([]string{fmt.Sprintf("%s (%s)", profile.ID, reading), w.Name}, cells...)...)
			memory = resident
		}
	}
	t.row(append([]string{"resident memory, guards", ""}, memory...)...)
	return "### Ports side by side\n\nEvents per second through the pipe, 64 in a request, JSON included.\n\n" + t.markdown(), nil
}

// race measures all contestants in turns.
func (b *bench) race(all []contestant, target pipe.Target) (rates, memory []string, err error) {
	speed, resident := make([][]float64, len(all)), make([][]float64, len(all))
	for range b.rounds {
		for i, c := range all {
			s, err := pipe.Measure(b.ctx, c.command, target, b.time)
			if err != nil {
				return nil, nil, fmt.Errorf("measure the %s on %s: %w", c.name, target, err)
			}
			speed[i] = append(speed[i], 1/s.PerEvent.Seconds())
			resident[i] = append(resident[i], float64(s.Resident))
		}
	}
	for i := range all {
		rates = append(rates, perSecond(median(speed[i])))
		memory = append(memory, fmt.Sprintf("%.0f MB", median(resident[i])/(1<<20)))
	}
	return rates, memory, nil
}

// swarm compares goroutines that share one Totals with one that has it for itself, and tells what fingerprint costs.
func (b *bench) swarm() (string, error) {
	w, err := workload.Find(spec.Swarm, "workers-64")
	if err != nil {
		return "", err
	}
	events, err := decoded(w)
	if err != nil {
		return "", err
	}
	r := reports{events: events, totals: swarm.NewTotals(swarm.DefaultLimits())}
	const each = 400_000
	var alone, together []float64
	for range b.rounds {
		alone = append(alone, r.perSecond(1, each))
		together = append(together, r.perSecond(8, each/8))
	}
	t := table{head: []string{"what", "measured", "aim"}}
	t.row("swarm, reports of 1 goroutine", perSecond(median(alone))+"/s", "")
	t.row("swarm, reports of 8 goroutines", perSecond(median(together))+"/s", "")
	t.row("swarm, 8 goroutines to 1", times(median(together)/median(alone)), "≥ 1.5 × on 2 processors")
	cost, err := b.fingerprint()
	if err != nil {
		return "", err
	}
	t.row("fingerprint, arguments of 200 bytes", nanoseconds(cost), "≤ 3 µs")
	return "### The reference alone\n\n" + t.markdown(), nil
}

func (b *bench) fingerprint() (float64, error) {
	w, err := workload.Find(spec.Fingerprint, "args-200")
	if err != nil {
		return 0, err
	}
	o, err := openObserved(spec.Fingerprint, spec.Text, w)
	if err != nil {
		return 0, err
	}
	var costs []float64
	for range b.rounds {
		costs = append(costs, o.perEvent(b.time))
	}
	return median(costs), nil
}
