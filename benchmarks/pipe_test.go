package benchmarks_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/suite/bench"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// role makes this test binary another program, in a process of its own.
const role = "LOOPSTONE_BENCHMARKS_ROLE"

func TestMain(m *testing.M) {
	var err error
	switch os.Getenv(role) {
	case "echo":
		err = echo(os.Stdin, os.Stdout)
	case "port":
		err = stdio.Serve(context.Background(), reference.Port(), os.Stdin, os.Stdout)
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		os.Exit(1)
	}
}

// echo is what a program in Go can reach that reads every line as JSON, writes it again, and that is all.
func echo(in io.Reader, out io.Writer) error {
	lines, answers := bufio.NewReaderSize(in, 64<<10), bufio.NewWriterSize(out, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return answers.Flush()
		}
		var message any
		if err := json.Unmarshal(line, &message); err != nil {
			return err
		}
		answer, err := json.Marshal(message)
		if err != nil {
			return err
		}
		_, _ = answers.Write(append(answer, '\n')) // Flush tells
		if lines.Buffered() == 0 {
			if err := answers.Flush(); err != nil {
				return err
			}
		}
	}
}

// BenchmarkPipe measures what a pipe with JSON lines carries in a language (the echo), and what the kit and the runner
// leave of it: events per second, one in a request, a window of requests in flight. The detectors in Python and for
// Node do nothing. Process start is not counted.
func BenchmarkPipe(b *testing.B) {
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	kits, err := filepath.Abs("../conformance/adapters")
	if err != nil {
		b.Fatal(err)
	}
	script := func(program, name, env string) stdio.Command {
		return stdio.Command{Path: program, Args: []string{"testdata/" + name}, Env: []string{env}}
	}
	w := workload(b, spec.History, "healthy")
	target := bench.Target{Detector: spec.History, Reading: spec.Code, Workload: w}
	for _, l := range []struct {
		name       string
		echo, port stdio.Command
	}{
		{
			"go",
			stdio.Command{Path: self, Env: []string{role + "=echo"}},
			stdio.Command{Path: self, Env: []string{role + "=port", "GOGC=400"}}, // as the tool does
		},
		{
			"python", script("python3", "echo.py", ""),
			script("python3", "trivial.py", "PYTHONPATH="+filepath.Join(kits, "python")),
		},
		{
			"node", script("node", "echo.mjs", ""),
			script("node", "trivial.mjs", "LOOPSTONE_KIT="+filepath.Join(kits, "typescript", "loopstone.js")),
		},
	} {
		b.Run("language="+l.name+"/by=echo", func(b *testing.B) { fed(b, l.echo, target) })
		b.Run("language="+l.name+"/by=port", func(b *testing.B) { fed(b, l.port, target) })
		b.Run("language="+l.name+"/by=runner", func(b *testing.B) { asked(b, l.port, w.Ring()) })
	}
}

// fed sends lines that were written before.
func fed(b *testing.B, command stdio.Command, target bench.Target) {
	run, err := bench.Feed(context.Background(), bench.Program{Command: command}, target, b.N, 1)
	if err != nil {
		b.Fatal(err)
	}
	reportRate(b, run.Events, run.Spent)
}

// asked lets the suite's own client write the requests and check the answers: as many callers as the window holds, each
// with a session of its own.
func asked(b *testing.B, port stdio.Command, events []spec.Value) {
	ctx := context.Background()
	client, err := stdio.Start(ctx, port, stdio.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer client.Close()
	var next atomic.Int64
	var group sync.WaitGroup
	start := time.Now()
	for range stdio.DefaultWindow {
		group.Go(func() {
			session, err := client.Open(ctx, spec.History, spec.Code, spec.Value{})
			for i := next.Add(1); i <= int64(b.N) && err == nil; i = next.Add(1) {
				_, err = session.Observe(ctx, events[i%int64(len(events)):][:1])
			}
			if err != nil {
				b.Error(err)
			}
		})
	}
	group.Wait()
	reportRate(b, b.N, time.Since(start))
}

func reportRate(b *testing.B, events int, spent time.Duration) {
	b.ReportMetric(float64(events)/spent.Seconds(), "events/s")
	b.ReportMetric(0, "ns/op") // is not printed: a process's start is in it
}
