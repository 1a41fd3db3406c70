package bench

import (
	"context"
	"slices"
	"time"
)

// Sample is what one process of a port showed on one workload.
type Sample struct {
	Events   int           // that the stream was made of
	PerEvent time.Duration // in the stream, the pipe and all JSON included
	P50, P99 time.Duration // of a call with one event whose answer is waited for
	// PipeEvent is what the pipe itself costs of PerEvent: that of a request without events, by the events of a batch.
	PipeEvent time.Duration
	// NoopP50 is the median of a call without events whose answer is waited for: what there is of P50 that no
	// detector can help.
	NoopP50  time.Duration
	Resident int64 // bytes of the process at the end; 0 where unknown
}

const (
	warmShare = 4                     // an interpreter that compiles as it runs is given a quarter of the time for it
	maxCalls  = 400                   // calls of which the percentiles are taken
	mostNoops = 500                   // requests without events in a stream
	leastTime = 10 * time.Millisecond // of a stream: shorter ones would measure the scheduler
)

// Measure takes one sample of a port, in a process of its own; its stream takes about as long as the limit says.
func Measure(ctx context.Context, program Program, target Target, limit time.Duration) (Sample, error) {
	limit = max(limit, leastTime)
	s, err := begin(ctx, program, target, 0)
	if err != nil {
		return Sample{}, err
	}
	defer s.wire.Close()
	if err := s.feed(target.Workload); err != nil {
		return Sample{}, err
	}
	if _, _, err := s.streamFor(limit / warmShare); err != nil {
		return Sample{}, err
	}
	var sample Sample
	if err := s.calibrate(&sample, limit); err != nil {
		return Sample{}, err
	}
	calls, err := s.lockStep(s.singles, limit)
	if err != nil {
		return Sample{}, err
	}
	sample.P50, sample.P99 = percentile(calls, 50), percentile(calls, 99)
	events, spent, err := s.streamFor(limit)
	if err != nil {
		return Sample{}, err
	}
	sample.Events, sample.PerEvent, sample.Resident = events, spent/time.Duration(events), s.resident()
	return sample, nil
}

// streamFor streams batches, each time twice as many, until the time is up.
func (s *session) streamFor(limit time.Duration) (events int, spent time.Duration, err error) {
	for batches := 1; spent < limit; {
		took, err := s.observe(batches)
		if err != nil {
			return 0, 0, err
		}
		events += batches * s.batch
		spent += took
		if took < limit/4 {
			batches = min(2*batches, s.mostBatches())
		}
	}
	return events, spent, nil
}

// calibrate measures the pipe with requests that ask for nothing.
func (s *session) calibrate(sample *Sample, limit time.Duration) error {
	noop := observeBody(nil)
	calls, err := s.lockStep([]body{noop}, limit/warmShare)
	if err != nil {
		return err
	}
	sample.NoopP50 = percentile(calls, 50)
	sent, spent := 0, time.Duration(0)
	for lot := firstLot(sample.NoopP50, limit); sent < mostNoops && spent < limit; lot *= 2 {
		var stream []byte
		for range lot {
			stream = s.appendRequest(stream, noop)
		}
		start := time.Now()
		if err := s.stream(stream); err != nil {
			return err
		}
		sent, spent = sent+lot, spent+time.Since(start)
	}
	sample.PipeEvent = spent / time.Duration(sent) / time.Duration(s.batch)
	return nil
}

// firstLot is how many requests there is time for, even if a stream of them were as slow as calls: a port that sleeps
// must not hold up the run.
func firstLot(call, limit time.Duration) int {
	return int(min(max(limit/max(call, 1), 1), mostNoops))
}

// lockStep makes calls one by one, as many as there is time for, and at least one.
func (s *session) lockStep(bodies []body, limit time.Duration) ([]time.Duration, error) {
	var calls []time.Duration
	var request []byte
	for begin := time.Now(); len(calls) == 0 || len(calls) < maxCalls && time.Since(begin) < limit; {
		request = s.appendRequest(request[:0], bodies[len(calls)%len(bodies)])
		start := time.Now()
		if err := s.wire.Send(request); err != nil {
			return nil, err
		}
		if err := s.receive(); err != nil {
			return nil, err
		}
		calls = append(calls, time.Since(start))
	}
	slices.Sort(calls)
	return calls, nil
}

// percentile returns the smallest of sorted durations that p percent of them do not exceed.
func percentile(sorted []time.Duration, p int) time.Duration {
	return sorted[(len(sorted)*p+99)/100-1]
}

// Feeding is what one process needed for its traffic.
type Feeding struct {
	Events   int
	Spent    time.Duration // on the stream of all events
	Resident int64         // bytes of the process at the end; 0 where unknown
}

// Feed puts a stream of at least so many events on a new process, in one session; a batch of 0 events stands for the
// usual number in a request. A request before it, which is not counted, waits until the process is up.
func Feed(ctx context.Context, program Program, target Target, events, batch int) (Feeding, error) {
	s, err := begin(ctx, program, target, batch)
	if err != nil {
		return Feeding{}, err
	}
	defer s.wire.Close()
	if _, err := s.observe(1); err != nil {
		return Feeding{}, err
	}
	var fed Feeding
	for fed.Events < events {
		batches := min((events-fed.Events+s.batch-1)/s.batch, s.mostBatches())
		spent, err := s.observe(batches)
		if err != nil {
			return Feeding{}, err
		}
		fed.Events += batches * s.batch
		fed.Spent += spent
	}
	fed.Resident = s.resident()
	return fed, nil
}
