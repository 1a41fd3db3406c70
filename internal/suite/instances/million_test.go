package instances_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/guard/redisserver"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/reference/swarm/shared"
	"github.com/loopstone/loopstone/spec"
)

// The sizes of the long run: eight processes, half of them in Python.
const (
	processes  = 8
	allReports = 1_000_000
	batchSize  = 250
	tools      = 10
	killings   = 10 // of the server and of workers, in turns
)

// worker is a process that is started anew whenever it is killed. What it was not answered it is told again.
type worker struct {
	name    string
	command string // of the shell
	pid     string // file
	batches atomic.Int64
	refused int
	starts  int
}

// work sends all batches.
func (w *worker) work(ctx context.Context) error {
	for w.batches.Load() < allReports/processes/batchSize {
		if w.starts++; w.starts > 10*killings {
			return fmt.Errorf("worker %s was started %d times", w.name, w.starts)
		}
		line := fmt.Sprintf("echo $$ > %s; exec %s", w.pid, w.command)
		adapter, err := stdio.StartAdapter(ctx, stdio.Command{Path: "sh", Args: []string{"-c", line}},
			stdio.Options{RequestTimeout: time.Minute, StartTimeout: time.Minute})
		if err != nil { // killed, or the server was, before it was ready
			time.Sleep(100 * time.Millisecond)
			continue
		}
		w.until(ctx, adapter)
		adapter.Close()
	}
	return nil
}

// until sends batches until all are sent or the process is gone.
func (w *worker) until(ctx context.Context, adapter *stdio.Adapter) {
	config := spec.MustParse(`{"swarm":"million","threshold":2000000}`)
	s, err := adapter.Open(ctx, spec.Swarm, spec.Text, config)
	for err == nil && w.batches.Load() < allReports/processes/batchSize {
		_, err = s.Observe(ctx, w.batch(w.batches.Load()))
		switch fault, refused := err.(*spec.Fault); {
		case err == nil:
			w.batches.Add(1)
		case refused && fault.Kind == spec.Unavailable:
			w.refused++
			err = nil
		}
	}
}

func (w *worker) batch(n int64) []spec.Value {
	events := make([]spec.Value, batchSize)
	for i := range events {
		id := n*batchSize + int64(i)
		events[i] = spec.MustParse(fmt.Sprintf(`{"type":"tool_call","tool":"t%d","worker":%q,"id":"%d"}`, id%tools, w.name, id))
	}
	return events
}

// kill ends the process, wherever it is.
func (w *worker) kill(t *testing.T) {
	text, err := os.ReadFile(w.pid)
	pid, numberErr := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || numberErr != nil {
		t.Errorf("whom to kill: %v, %v", err, numberErr)
		return
	}
	if process, err := os.FindProcess(pid); err == nil { // it may have ended just now
		_ = process.Kill()
	}
}

func TestAMillionReportsByProcessesOfTwoLanguages(t *testing.T) {
	if os.Getenv("LOOPSTONE_SLOW") == "" {
		t.Skip("takes minutes; run: make swarm-million")
	}
	server := redisserver.Start(t, "--appendonly", "yes", "--appendfsync", "always")
	binary := filepath.Join(t.TempDir(), "loopstone")
	if out, err := exec.Command("go", "build", "-o", binary, "../../../cmd/loopstone").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	workers := make([]*worker, processes)
	var all sync.WaitGroup
	for i := range workers {
		command := binary + " serve --swarm " + server.URL()
		if i%2 == 1 {
			command = "python3 ../../../conformance/adapters/python/ports/fleet.py " + server.URL()
		}
		w := &worker{name: fmt.Sprint("w", i), command: command, pid: filepath.Join(t.TempDir(), "pid")}
		workers[i] = w
		all.Go(func() {
			if err := w.work(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	killInTurns(t, server, workers)
	all.Wait()
	for _, w := range workers {
		t.Logf("%s: started %d times, refused %d times", w.name, w.starts, w.refused)
	}
	checkTotals(t, server)
}

// killInTurns kills the server and a worker in turns, spread over the run.
func killInTurns(t *testing.T, server *redisserver.Server, workers []*worker) {
	for n := range killings {
		part := int64(n+1) * allReports / processes / batchSize / (killings + 1)
		for slowest := int64(0); slowest < part && !t.Failed(); {
			time.Sleep(10 * time.Millisecond)
			slowest = workers[n%processes].batches.Load()
		}
		if n%2 == 0 {
			server.Kill()
			server.Restart()
		} else {
			workers[n%processes].kill(t)
		}
	}
}

func checkTotals(t *testing.T, server *redisserver.Server) {
	store, err := shared.Open(t.Context(), server.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s, err := store.Port(reference.Port()).Open(t.Context(), spec.Swarm, spec.Text, spec.MustParse(`{"swarm":"million"}`))
	if err != nil {
		t.Fatal(err)
	}
	state, err := s.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	entries := state.Get("fingerprints").Items()
	if len(entries) != tools {
		t.Errorf("%d fingerprints, want %d", len(entries), tools)
	}
	for _, entry := range entries {
		count, _ := entry.Get("count").Int()
		if crew := len(entry.Get("workers").Items()); count != allReports/tools || crew != processes {
			t.Errorf("%s: %d calls by %d workers, want %d by %d", entry.Get("tool"), count, crew, allReports/tools, processes)
		}
	}
}
