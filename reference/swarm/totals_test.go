package swarm_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/loopstone/loopstone/reference/swarm"
	"github.com/loopstone/loopstone/spec"
)

// inParallel runs the function once for each worker, all at the same time, and waits for all.
func inParallel(workers int, work func(worker int)) {
	var all sync.WaitGroup
	for i := range workers {
		all.Go(func() { work(i) })
	}
	all.Wait()
}

func TestConcurrentReportsAreAllCounted(t *testing.T) {
	t.Parallel()
	const workers, rounds = 8, 200
	totals := swarm.NewTotals(swarm.Limits{Threshold: 1, MinWorkers: 1})
	sequential := after(swarm.Limits{Threshold: 10, MinWorkers: 2}, nil)
	var verdicts [workers][]spec.Verdict
	inParallel(workers, func(i int) {
		for round := range rounds {
			c := call{class: round % classes, dress: i % 4, worker: fmt.Sprint(i)}
			verdicts[i] = append(verdicts[i], totals.Report(c.worker, c.tool(), c.args()))
		}
	})
	seen := map[[2]int]int{} // class and count, by how many verdicts told of them
	for i := range workers {
		for round, v := range verdicts[i] {
			seen[[2]int{round % classes, v.Count}]++
			sequential.Observe(call{class: round % classes, worker: fmt.Sprint(i)}.event(0))
		}
	}
	if len(seen) != workers*rounds {
		t.Errorf("%d reports were told %d different counts", workers*rounds, len(seen))
	}
	if got, want := totals.Snapshot().String(), sequential.Snapshot().String(); got != want {
		t.Errorf("the totals are\n%s\nwant\n%s", got, want)
	}
}

func TestSnapshotsAmidReportsAreOfOneMoment(t *testing.T) {
	t.Parallel()
	totals := swarm.NewTotals(swarm.Limits{Threshold: 10, MinWorkers: 2})
	inParallel(2, func(worker int) {
		if worker == 0 { // always class 0 first, so that it is never behind
			for range 1000 {
				totals.Report("w", "first", spec.Value{})
				totals.Report("w", "second", spec.Value{})
			}
			return
		}
		for range 100 {
			counts := map[string]int{}
			for _, entry := range totals.Snapshot().Get("fingerprints").Items() {
				tool, _ := entry.Get("tool").Str()
				counts[tool], _ = entry.Get("count").Int()
			}
			if ahead := counts["first"] - counts["second"]; ahead < 0 || ahead > 1 {
				t.Errorf("a snapshot tells of %v", counts)
			}
		}
	})
}

func TestRestoreAndResetAmidReports(t *testing.T) {
	t.Parallel()
	totals := swarm.NewTotals(swarm.Limits{Threshold: 10, MinWorkers: 2})
	checkpoint := spec.MustParse(`{"fingerprints":[{"fingerprint":"f","tool":"g","count":3,"workers":["w"]}]}`)
	inParallel(4, func(worker int) {
		for i := range 100 {
			switch worker {
			case 0:
				if err := totals.Restore(checkpoint); err != nil {
					t.Error(err)
				}
			case 1:
				totals.Reset()
			default:
				totals.Report(fmt.Sprint(worker), fmt.Sprint("tool", i%5), spec.Value{})
			}
		}
	})
	if _, err := merge(totals.Snapshot()); err != nil {
		t.Errorf("what is left is no state: %v", err)
	}
}

// BenchmarkReport tells what a second processor brings. All goroutines report the same calls in turn, and none of
// them is a loop, so that there is no text to write.
func BenchmarkReport(b *testing.B) {
	var args [64]spec.Value
	for i := range args {
		args[i] = spec.ObjectValue(spec.Member{Name: "path", Value: spec.StringValue(fmt.Sprint("src/", i, ".go"))})
	}
	for _, goroutines := range []int{1, 8} {
		b.Run(fmt.Sprintf("goroutines=%d", goroutines), func(b *testing.B) {
			totals := swarm.NewTotals(swarm.Limits{Threshold: 10, MinWorkers: 9})
			b.ReportAllocs()
			inParallel(goroutines, func(worker int) {
				name := fmt.Sprint(worker)
				for i := range b.N / goroutines {
					totals.Report(name, "read_file", args[(i+8*worker)%len(args)])
				}
			})
		})
	}
}
