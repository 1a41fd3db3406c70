package benchmarks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/suite/bench"
	"github.com/loopstone/loopstone/reference/swarm"
	"github.com/loopstone/loopstone/spec"
)

// BenchmarkLoad measures reading and checking the whole suite.
func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := cases.Load(cases.Files()); err != nil {
			b.Fatal(err)
		}
	}
}

// someCalls are the workloads whose events differ most in their JSON.
var someCalls = []string{"healthy", "args-1k", "args-64k", "deep-args"}

// BenchmarkParse measures reading an event's JSON.
func BenchmarkParse(b *testing.B) {
	eachCall(b, func(b *testing.B, event spec.Value) {
		text := event.AppendJSON(nil)
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			if _, err := spec.ParseValue(text); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkDecode measures checking an event that was read.
func BenchmarkDecode(b *testing.B) {
	eachCall(b, func(b *testing.B, event spec.Value) {
		for b.Loop() {
			if _, err := spec.DecodeEvent(event); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkCanonical measures writing an event's arguments as RFC 8785 does.
func BenchmarkCanonical(b *testing.B) {
	eachCall(b, func(b *testing.B, event spec.Value) {
		args := event.Get("args")
		for b.Loop() {
			_ = args.Canonical()
		}
	})
}

func eachCall(b *testing.B, measure func(b *testing.B, event spec.Value)) {
	for _, name := range someCalls {
		w := workload(b, spec.History, name)
		b.Run("workload="+name, func(b *testing.B) {
			b.ReportAllocs()
			event := w.Event(1)
			defer cpuTime(b, 1)()
			measure(b, event)
		})
	}
}

// BenchmarkCompare measures comparing two sets of results of a hundred benchmarks.
func BenchmarkCompare(b *testing.B) {
	var results strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&results, "BenchmarkObserve/number=%d-2 100 %d ns/op %d allocs/op\n", i%100, 800+i, i%100)
	}
	b.ReportAllocs()
	for b.Loop() {
		old := bench.Source{Label: "old", Text: strings.NewReader(results.String())}
		new := bench.Source{Label: "new", Text: strings.NewReader(results.String())}
		if _, err := bench.Compare(old, new, false); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSwarm measures a swarm whose workers report at the same time: goroutines that share one Totals. Its time is
// that of one report; with as many processors as goroutines it would be divided by their number.
func BenchmarkSwarm(b *testing.B) {
	for _, goroutines := range []int{1, 2, 8, 64} {
		b.Run(fmt.Sprintf("goroutines=%d", goroutines), func(b *testing.B) { report(b, goroutines) })
	}
}

func report(b *testing.B, goroutines int) {
	w := workload(b, spec.Swarm, "workers-64")
	events := decode(b, w.Ring())
	totals := swarm.NewTotals(swarm.Limits{Threshold: 10, MinWorkers: 2})
	b.ReportAllocs()
	b.ResetTimer()
	done := make(chan struct{})
	for worker := range goroutines {
		go func() {
			for i := worker; i < b.N; i += goroutines {
				e := events[i%len(events)]
				totals.Report(e.Worker, e.Tool, e.Args)
			}
			done <- struct{}{}
		}()
	}
	for range goroutines {
		<-done
	}
}
