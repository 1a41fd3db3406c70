package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loopstone/loopstone/benchmarks/pipe"
	"github.com/loopstone/loopstone/benchmarks/workload"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// echo writes back what it reads: it is the child of this very program.
func echo(in io.Reader, out io.Writer) {
	_, _ = io.CopyBuffer(struct{ io.Writer }{out}, struct{ io.Reader }{in}, make([]byte, 64<<10)) // it ends with its input
}

// floorEvents is how many events are sent, one in a request: a few tenths of a second for the slowest.
const floorEvents = 40_000

// language is a language in which there is a kit.
type language struct {
	name          string
	echo, trivial stdio.Command
}

// floor tells what the pipe itself carries, what the kits leave of it, and how far the runner gets.
func (b *bench) floor() (string, error) {
	w, err := workload.Find(spec.History, "healthy")
	if err != nil {
		return "", err
	}
	target := pipe.Target{Detector: spec.History, Reading: spec.Code, Workload: w}
	languages, err := b.languages()
	if err != nil {
		return "", err
	}
	t := table{head: []string{"language", "raw echo of the same lines", "kit, detector that does nothing", "of the echo"}}
	for _, l := range languages {
		raw, kit, err := b.raceKit(l, target)
		if err != nil {
			return "", fmt.Errorf("measure the kit for %s: %w", l.name, err)
		}
		t.row(l.name, perSecond(raw), perSecond(kit), fmt.Sprintf("%.0f %%", 100*kit/raw))
	}
	runner, err := b.runner(w)
	if err != nil {
		return "", err
	}
	return "### The pipe\n\nEvents per second, one in a request, as many requests in flight as the pipe holds.\n\n" + t.markdown() +
		fmt.Sprintf("\nThe suite's runner, with 256 requests in flight to the reference (history), does %s events per second.\n",
			perSecond(runner)), nil
}

// languages returns those that can be run here.
func (b *bench) languages() ([]language, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	kits := filepath.Join(b.root, "conformance", "adapters")
	all := []language{{
		"Go (its detector is history)",
		stdio.Command{Path: self, Args: []string{"echo"}},
		stdio.Command{Path: b.tool(), Args: []string{"serve"}},
	}}
	if python := filepath.Join(kits, "python"); installed("python3") {
		all = append(all, language{
			"Python",
			stdio.Command{Path: "python3", Args: []string{b.script("echo.py")}},
			stdio.Command{Path: "python3", Args: []string{b.script("trivial.py")}, Env: []string{"PYTHONPATH=" + python}},
		})
	}
	kit := filepath.Join(kits, "typescript", "loopstone.js")
	if _, err := os.Stat(kit); err == nil && installed("node") {
		all = append(all, language{
			"Node",
			stdio.Command{Path: "node", Args: []string{b.script("echo.mjs")}},
			stdio.Command{Path: "node", Args: []string{b.script("trivial.mjs")}, Env: []string{"LOOPSTONE_KIT=" + kit}},
		})
	}
	return all, nil
}

// raceKit returns events per second of the echo and of the kit, the medians of all rounds.
func (b *bench) raceKit(l language, target pipe.Target) (raw, kit float64, err error) {
	var a, z []float64
	for range b.rounds {
		bare, err := pipe.Feed(b.ctx, l.echo, target, pipe.Load{Events: floorEvents, Batch: 1, Echo: true})
		if err != nil {
			return 0, 0, err
		}
		full, err := pipe.Feed(b.ctx, l.trivial, target, pipe.Load{Events: floorEvents, Batch: 1})
		if err != nil {
			return 0, 0, err
		}
		a, z = append(a, rate(bare)), append(z, rate(full))
	}
	return median(a), median(z), nil
}

func rate(f pipe.Feeding) float64 { return float64(f.Events) / f.Spent.Seconds() }

// runner returns how many events per second the suite's own client gets through, and checks, with a full window.
func (b *bench) runner(w workload.Workload) (float64, error) {
	var rates []float64
	events := w.Ring()
	for range b.rounds {
		client, err := stdio.Start(b.ctx, stdio.Command{Path: b.tool(), Args: []string{"serve"}}, stdio.Options{})
		if err != nil {
			return 0, err
		}
		rate, err := pipelined(b.ctx, client, events)
		client.Close()
		if err != nil {
			return 0, err
		}
		rates = append(rates, rate)
	}
	return median(rates), nil
}

// pipelined lets as many callers as the window holds observe, each in a session of its own.
func pipelined(ctx context.Context, client *stdio.Client, events []spec.Value) (float64, error) {
	var left atomic.Int64
	left.Store(floorEvents)
	failed := make(chan error, stdio.DefaultWindow)
	var group sync.WaitGroup
	start := time.Now()
	for range stdio.DefaultWindow {
		group.Go(func() {
			session, err := client.Open(ctx, spec.History, spec.Code, spec.Value{})
			for i := left.Add(-1); i >= 0 && err == nil; i = left.Add(-1) {
				_, err = session.Observe(ctx, events[i%int64(len(events)):][:1])
			}
			if err != nil {
				failed <- err
			}
		})
	}
	group.Wait()
	select {
	case err := <-failed:
		return 0, fmt.Errorf("observe through the runner: %w", err)
	default:
		return floorEvents / time.Since(start).Seconds(), nil
	}
}
