package benchmarks_test

import (
	"context"
	"fmt"
	"math/bits"
	"strconv"
	"sync"
	"testing"

	"github.com/redis/rueidis"

	"github.com/loopstone/loopstone/internal/testing/redisserver"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/reference/swarm/shared"
	"github.com/loopstone/loopstone/spec"
)

// BenchmarkShared tells how many reports one Redis takes in, as the workers grow, beside its plain INCR in pipelines of
// the same length: an operation is a report, or an INCR. Each worker has a connection of its own.
func BenchmarkShared(b *testing.B) {
	for _, workers := range []int{1, 4, 16, 64} {
		for _, batch := range []int{1, 64} {
			name := fmt.Sprintf("workers=%d/batch=%d/by=", workers, batch)
			b.Run(name+"report", func(b *testing.B) { shareOut(b, workers, batch, reporting(nil)) })
			b.Run(name+"report-with-id", func(b *testing.B) { shareOut(b, workers, batch, reporting(strconv.Itoa)) })
			b.Run(name+"report-with-random-id", func(b *testing.B) { shareOut(b, workers, batch, reporting(randomID)) })
			b.Run(name+"incr", func(b *testing.B) { shareOut(b, workers, batch, incrementing) })
		}
	}
}

// shareOut lets the workers send batches until b.N operations are done.
func shareOut(b *testing.B, workers, batch int, start func(*testing.B, *redisserver.Server, int, int) func() error) {
	server := redisserver.Start(b)
	sends := make([]func() error, workers)
	for i := range sends {
		sends[i] = start(b, server, i, batch)
	}
	before, clients := serverTime(b, server), cpuTime(b, 1)
	b.ResetTimer()
	var all sync.WaitGroup
	for i, send := range sends {
		all.Go(func() {
			for done := i * batch; done < b.N; done += workers * batch {
				if err := send(); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ops/s")
	clients()
	b.ReportMetric((serverTime(b, server)-before)*1e9/float64(b.N), "server-ns/op")
}

// serverTime returns how many seconds of processor time the server has used: the limit of its one thread, whatever else
// the machine does.
func serverTime(b *testing.B, server *redisserver.Server) float64 {
	info, err := server.Client().Info(b.Context(), "cpu")
	if err != nil {
		b.Fatal(err)
	}
	sum := 0.0
	for _, name := range []string{"used_cpu_user", "used_cpu_sys"} {
		seconds, err := strconv.ParseFloat(info[name], 64)
		if err != nil {
			b.Fatal(err)
		}
		sum += seconds
	}
	return sum
}

// randomID returns an id like those that language models give their calls, the same for the same number.
func randomID(n int) string {
	high, low := bits.Mul64(uint64(n)+1, 0x9e3779b97f4a7c15)
	return fmt.Sprintf("toolu_%016x%016x", (high^low)*0xbf58476d1ce4e5b9, low)
}

// reporting returns a function that reports a batch of calls of a few tools; with ids, where the function makes them.
func reporting(id func(int) string) func(*testing.B, *redisserver.Server, int, int) func() error {
	return func(b *testing.B, server *redisserver.Server, worker, batch int) func() error {
		store, err := shared.Open(b.Context(), server.URL())
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { store.Close() })
		config := spec.MustParse(`{"swarm":"bench","threshold":2000000000}`)
		s, err := store.Port(reference.Port()).Open(b.Context(), spec.Swarm, spec.Text, config)
		if err != nil {
			b.Fatal(err)
		}
		events := make([]spec.Value, batch)
		for i := range events {
			events[i] = spec.MustParse(fmt.Sprintf(`{"type":"tool_call","tool":"t%d","worker":"w%d"}`, i%16, worker))
		}
		sent := 0
		return func() error {
			if id != nil {
				for i, e := range events {
					events[i] = e.With("id", spec.StringValue(id(sent)))
					sent++
				}
			}
			_, err := s.Observe(context.Background(), events)
			return err
		}
	}
}

// incrementing returns a function that sends a pipeline of INCR to a few keys.
func incrementing(_ *testing.B, server *redisserver.Server, _, batch int) func() error {
	client := server.Client()
	return func() error {
		pipeline := make(rueidis.Commands, batch)
		for i := range pipeline {
			pipeline[i] = client.B().Incr().Key("t" + strconv.Itoa(i%16)).Build()
		}
		for _, answer := range client.DoMulti(context.Background(), pipeline...) {
			if err := answer.Error(); err != nil {
				return err
			}
		}
		return nil
	}
}
