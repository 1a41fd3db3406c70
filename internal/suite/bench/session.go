package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// answerTime is how long any single answer may take: a batch of the largest events, on a machine that is busy.
const answerTime = time.Minute

const (
	// batchMost is how many events travel in one request of a stream: enough that the request's own cost hardly
	// counts, and few enough that an answer comes before the next milliseconds are over.
	batchMost = 64
	// batchBytes is how long a request may get before it holds fewer events than that.
	batchBytes = 64 << 10
	// streamBytes bounds what is sent at once, and so the memory of this process.
	streamBytes = 16 << 20
)

// session is the only one of a port's process. It observes a workload again and again.
type session struct {
	wire     *stdio.Wire
	mark     string // in the environment of the process and of all that it starts
	lastID   int
	due      []answer // to what was asked, in this order
	bodies   []body   // of requests to observe a batch, again and again
	singles  []body   // likewise one event each
	batch    int      // events in each of bodies
	position int      // which of bodies comes next
}

// body is what follows the id in a request.
type body struct {
	text   []byte
	events int
}

// theSession names it.
const theSession = `"session":"s"`

// marks tells the processes that this one starts apart.
var marks atomic.Int64

// begin starts a process, opens a session, and writes the requests, so that no time is spent on it later. A batch of 0
// events stands for the usual number.
func begin(ctx context.Context, program Program, t Target, batch int) (*session, error) {
	s := &session{mark: fmt.Sprintf("LOOPSTONE_BENCH=%d/%d", os.Getpid(), marks.Add(1))}
	command := program.Command
	command.Env = append(command.Env[:len(command.Env):len(command.Env)], s.mark)
	var err error
	s.wire, err = stdio.OpenWire(ctx, command, stdio.Options{RequestTimeout: answerTime, Left: program.Left})
	if err != nil {
		return nil, err
	}
	open := fmt.Appendf(nil, `"method":"session/open","params":{%s,"detector":%q,"reading":%q`,
		theSession, t.Detector, t.Reading)
	if !t.Config.IsAbsent() {
		open = t.Config.AppendJSON(append(open, `,"config":`...))
	}
	if err := s.stream(s.appendRequest(nil, body{text: append(open, "}}\n"...)})); err != nil {
		s.wire.Close()
		return nil, fmt.Errorf("open a session: %w", err)
	}
	ring := t.Workload.Ring()
	if s.batch = batch; batch == 0 {
		s.batch = min(max(batchBytes/len(ring[0].String()), 1), batchMost)
	}
	for from := 0; from+s.batch <= len(ring); from += s.batch {
		s.bodies = append(s.bodies, observeBody(ring[from:from+s.batch]))
	}
	for _, event := range ring[:min(len(ring), 200)] {
		s.singles = append(s.singles, observeBody([]spec.Value{event}))
	}
	return s, nil
}

// mostIDs is how far an id may lie above the one before it.
const mostIDs = 1 << 20

// appendRequest appends a request. Nobody can know its id, and so no port can answer before it is asked.
func (s *session) appendRequest(b []byte, request body) []byte {
	s.lastID += 1 + rand.IntN(mostIDs)
	s.due = append(s.due, answer{s.lastID, request.events})
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = strconv.AppendInt(b, int64(s.lastID), 10)
	b = append(b, ',')
	return append(b, request.text...)
}

// receive takes the next answer. A port that refuses what it is asked, or that answers something else, has no speed;
// whether the verdicts are right is the suite's to judge.
func (s *session) receive() error {
	line, err := s.wire.Receive(answerTime)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the port ended; its stderr ends in %q", s.wire.Stderr())
	case err != nil:
		return err
	}
	due := s.due[0]
	s.due = s.due[1:]
	return due.check(line)
}

// stream sends requests, all at once, and takes the answers that are due. A goroutine sends while this one receives,
// because a port that nobody reads from stops reading too; it has ended when stream returns.
func (s *session) stream(requests []byte) error {
	sent := make(chan error, 1)
	go func() { sent <- s.wire.Send(requests) }()
	for len(s.due) > 0 {
		if err := s.receive(); err != nil {
			s.wire.Close() // so that the sender is not left waiting
			<-sent
			return err
		}
	}
	return <-sent
}

// resident returns the resident memory of the process and of all that it has started, in bytes; 0 where the operating
// system does not say.
func (s *session) resident() int64 {
	total := int64(0)
	folders, _ := filepath.Glob("/proc/[0-9]*") // well-formed; with a name behind it, each folder would be listed
	for _, folder := range folders {
		environment, err := os.ReadFile(filepath.Join(folder, "environ"))
		if err == nil && bytes.Contains(environment, []byte(s.mark+"\x00")) {
			statm, _ := os.ReadFile(filepath.Join(folder, "statm")) // it may have ended just now
			var all, resident int64                                 // pages
			_, _ = fmt.Sscan(string(statm), &all, &resident)
			total += resident * int64(os.Getpagesize())
		}
	}
	return total
}

func observeBody(events []spec.Value) body {
	text := fmt.Appendf(nil, `"method":"session/observe","params":{%s,"events":`, theSession)
	return body{append(spec.ArrayValue(events...).AppendJSON(text), "}}\n"...), len(events)}
}

// observe sends n batches in a stream and returns how long the port took.
func (s *session) observe(batches int) (time.Duration, error) {
	var requests []byte
	for range batches {
		requests = s.appendRequest(requests, s.bodies[s.position])
		s.position = (s.position + 1) % len(s.bodies)
	}
	start := time.Now()
	err := s.stream(requests)
	return time.Since(start), err
}

// feed makes the session observe the first events of a workload, as far as the workload asks for it.
func (s *session) feed(w Workload) error {
	const chunk = 10_000
	for from := 0; from < w.Before; from += chunk {
		n := min(chunk, w.Before-from)
		if err := s.stream(s.appendRequest(nil, observeBody(w.Events(from, n)))); err != nil {
			return fmt.Errorf("feed %d events: %w", n, err)
		}
	}
	return nil
}

// mostBatches is how many batches may be sent at once.
func (s *session) mostBatches() int { return max(streamBytes/len(s.bodies[0].text), 1) }
