package pipe

import (
	"context"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
)

// Load is a stream of events without pauses.
type Load struct {
	Events int // at least so many
	Batch  int // events in a request; 0 for as many as is usual
	// Echo says that the process is no port: it answers every line with any line.
	Echo bool
}

// Feeding is what one process needed for a load.
type Feeding struct {
	Events   int
	Spent    time.Duration // on the stream of all events
	Resident int64         // bytes of the process at the end; 0 where unknown
}

// Feed puts a load on a new process, in one session. A request before it, which is not counted, waits until the
// process is up.
func Feed(ctx context.Context, command stdio.Command, target Target, load Load) (Feeding, error) {
	c, err := startChild(ctx, command)
	if err != nil {
		return Feeding{}, err
	}
	defer c.close()
	s := &session{child: c}
	if c.echo = load.Echo; !c.echo {
		if s, err = c.open(target.Detector, target.Reading, target.Workload); err != nil {
			return Feeding{}, err
		}
	}
	s.prepare(target.Workload.Ring(), load.Batch)
	if _, err := s.observe(1); err != nil {
		return Feeding{}, err
	}
	return s.bear(load.Events)
}

func (s *session) bear(events int) (Feeding, error) {
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
