package pipe

import (
	"fmt"
	"time"

	"github.com/loopstone/loopstone/internal/bench/workload"
	"github.com/loopstone/loopstone/spec"
)

const (
	// batchMost is how many events travel in one request of a stream: enough that the request's own cost hardly
	// counts, and few enough that an answer comes before the next milliseconds are over.
	batchMost = 64
	// batchBytes is how long a request may get before it holds fewer events than that.
	batchBytes = 64 << 10
	// streamBytes bounds what is sent at once, and so the memory of this process.
	streamBytes = 16 << 20
)

// session is an open session of a child that observes a workload, from its beginning on.
type session struct {
	*child
	bodies   [][]byte // of requests to observe a batch, again and again
	singles  [][]byte // likewise one event each
	batch    int      // events in each of bodies
	position int      // which of bodies comes next
}

// name is the session's in every child, which has no other.
const name = `"session":"s"`

func (c *child) open(detector spec.DetectorID, reading spec.Reading, w workload.Workload) (*session, error) {
	body := fmt.Appendf(nil, `"method":"session/open","params":{%s,"detector":%q,"reading":%q`, name, detector, reading)
	if !w.Config.IsAbsent() {
		body = w.Config.AppendJSON(append(body, `,"config":`...))
	}
	if _, err := c.ask(append(body, "}}\n"...)); err != nil {
		return nil, fmt.Errorf("open a session: %w", err)
	}
	return &session{child: c}, nil
}

// prepare writes the requests, so that no time is spent on it later. A batch of 0 events stands for the usual number.
func (s *session) prepare(ring []spec.Value, batch int) {
	if batch == 0 {
		batch = min(max(batchBytes/len(ring[0].String()), 1), batchMost)
	}
	s.batch = batch
	for from := 0; from+s.batch <= len(ring); from += s.batch {
		s.bodies = append(s.bodies, observeBody(ring[from:from+s.batch]))
	}
	for _, event := range ring[:min(len(ring), 200)] {
		s.singles = append(s.singles, observeBody([]spec.Value{event}))
	}
}

func observeBody(events []spec.Value) []byte {
	body := fmt.Appendf(nil, `"method":"session/observe","params":{%s,"events":`, name)
	return append(spec.ArrayValue(events...).AppendJSON(body), "}}\n"...)
}

// observe sends n batches in a stream and returns how long the port took.
func (s *session) observe(batches int) (time.Duration, error) {
	var requests []byte
	for range batches {
		requests = s.appendRequest(requests, s.bodies[s.position])
		s.position = (s.position + 1) % len(s.bodies)
	}
	start := time.Now()
	err := s.stream(requests, batches)
	return time.Since(start), err
}

// feed makes the session observe the first events of a workload, as far as the workload asks for it.
func (s *session) feed(w workload.Workload) error {
	const chunk = 10_000
	for from := 0; from < w.Before; from += chunk {
		n := min(chunk, w.Before-from)
		if err := s.stream(s.appendRequest(nil, observeBody(w.Events(from, n))), 1); err != nil {
			return fmt.Errorf("feed %d events: %w", n, err)
		}
	}
	return nil
}

// mostBatches is how many batches may be sent at once.
func (s *session) mostBatches() int { return max(streamBytes/len(s.bodies[0]), 1) }
