package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/bench/pipe"
	"github.com/loopstone/loopstone/internal/bench/workload"
	"github.com/loopstone/loopstone/spec"
)

// floorEvents is how many events are sent, one in a request: half a second for the slowest.
const floorEvents = 60_000

// language is a language in which there is a kit.
type language struct {
	name       string
	echo, port stdio.Command
}

// pace is how many events per second one language does.
type pace struct {
	echo   []float64 // the echo, fed with lines that were written before
	fed    []float64 // the port, fed likewise
	runner []float64 // the port, asked by the suite's runner, which writes the requests and checks the answers
}

// floor tells what a pipe with JSON lines carries, and what the kits and the runner leave of it.
func (b *bench) floor() (string, error) {
	w, err := workload.Find(spec.History, "healthy")
	if err != nil {
		return "", err
	}
	languages, err := b.languages()
	if err != nil {
		return "", err
	}
	t := table{head: []string{"port", "echo", "port, fed with lines", "port, asked by the runner", "runner, of the echo", "aim"}}
	for _, l := range languages {
		p, err := b.pace(l, w)
		if err != nil {
			return "", fmt.Errorf("measure %s: %w", l.name, err)
		}
		reached := fmt.Sprintf("%.0f %%", 100*median(p.runner)/median(p.echo))
		t.row(l.name, perSecond(median(p.echo)), perSecond(median(p.fed)), perSecond(median(p.runner)), reached, "≥ 60 %")
	}
	return "### The pipe\n\nEvents per second, one in a request, a window of requests in flight. The echo reads every line of the same\n" +
		"requests with the language's own JSON library and writes it again: no port can do less.\n\n" + t.markdown(), nil
}

// languages returns those that can be run here.
func (b *bench) languages() ([]language, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	kits := filepath.Join(b.root, "conformance", "adapters")
	all := []language{{
		"the reference, history (Go)",
		stdio.Command{Path: self, Args: []string{"echo"}},
		stdio.Command{Path: b.tool(), Args: []string{"serve"}},
	}}
	if python := filepath.Join(kits, "python"); installed("python3") {
		all = append(all, language{
			"a detector that does nothing (Python)",
			stdio.Command{Path: "python3", Args: []string{b.script("echo.py")}},
			stdio.Command{Path: "python3", Args: []string{b.script("trivial.py")}, Env: []string{"PYTHONPATH=" + python}},
		})
	}
	kit := filepath.Join(kits, "typescript", "loopstone.js")
	if _, err := os.Stat(kit); err == nil && installed("node") {
		all = append(all, language{
			"a detector that does nothing (Node)",
			stdio.Command{Path: "node", Args: []string{b.script("echo.mjs")}},
			stdio.Command{Path: "node", Args: []string{b.script("trivial.mjs")}, Env: []string{"LOOPSTONE_KIT=" + kit}},
		})
	}
	return all, nil
}

// pace measures one language in turns.
func (b *bench) pace(l language, w workload.Workload) (pace, error) {
	var p pace
	target := pipe.Target{Detector: spec.History, Reading: spec.Code, Workload: w}
	for range b.rounds {
		echo, err := pipe.Feed(b.ctx, l.echo, target, pipe.Load{Events: floorEvents, Batch: 1, Echo: true})
		if err != nil {
			return pace{}, err
		}
		fed, err := pipe.Feed(b.ctx, l.port, target, pipe.Load{Events: floorEvents, Batch: 1})
		if err != nil {
			return pace{}, err
		}
		runner, err := b.runner(l.port, w)
		if err != nil {
			return pace{}, err
		}
		p.echo, p.fed, p.runner = append(p.echo, rate(echo)), append(p.fed, rate(fed)), append(p.runner, runner)
	}
	return p, nil
}

func rate(f pipe.Feeding) float64 { return float64(f.Events) / f.Spent.Seconds() }

// runner returns how many events per second the suite's own client gets through, and checks, with a full window.
func (b *bench) runner(port stdio.Command, w workload.Workload) (float64, error) {
	client, err := stdio.Start(b.ctx, port, stdio.Options{})
	if err != nil {
		return 0, err
	}
	defer client.Close()
	return pipelined(b.ctx, client, w.Ring())
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
