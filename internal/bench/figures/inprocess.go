package main

import (
	"runtime"
	"sync"
	"time"

	"github.com/loopstone/loopstone/internal/bench/workload"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/reference/swarm"
	"github.com/loopstone/loopstone/spec"
)

// observed is a detector of the reference on one workload.
type observed struct {
	detector spec.Detector
	events   []spec.Event
}

func openObserved(id spec.DetectorID, reading spec.Reading, w workload.Workload) (*observed, error) {
	o := &observed{}
	for _, impl := range reference.Implementations() {
		if impl.Detector != id {
			continue
		}
		detector, err := impl.New(reading, w.Config)
		if err != nil {
			return nil, err
		}
		o.detector = detector
	}
	events, err := decoded(w)
	o.events = events
	return o, err
}

func decoded(w workload.Workload) ([]spec.Event, error) {
	var events []spec.Event
	for i, v := range w.Ring() {
		e, err := spec.DecodeEvent(v)
		if err != nil {
			return nil, err
		}
		e.Index = i
		events = append(events, e)
	}
	return events, nil
}

// perEvent observes for that long, after a quarter of the time that is not counted, and returns nanoseconds.
func (o *observed) perEvent(limit time.Duration) float64 {
	const chunk = 200
	at := 0
	observe := func(limit time.Duration) (events int, spent time.Duration) {
		for spent < limit {
			start := time.Now()
			for range chunk {
				o.detector.Observe(o.events[at])
				at = (at + 1) % len(o.events)
			}
			spent += time.Since(start)
			events += chunk
		}
		return events, spent
	}
	observe(limit / 4)
	runtime.GC() // what the programs before have left is not this one's
	events, spent := observe(limit)
	return float64(spent.Nanoseconds()) / float64(events)
}

// reports is the workload of a swarm whose goroutines share one Totals.
type reports struct {
	events []spec.Event
	totals *swarm.Totals
}

// perSecond lets so many goroutines report and returns how many reports a second there were in all.
func (r *reports) perSecond(goroutines, each int) float64 {
	var group sync.WaitGroup
	start := time.Now()
	for worker := range goroutines {
		group.Go(func() {
			for i := range each {
				e := &r.events[(worker*499+i)%len(r.events)]
				r.totals.Report(e.Worker, e.Tool, e.Args)
			}
		})
	}
	group.Wait()
	return float64(goroutines*each) / time.Since(start).Seconds()
}
