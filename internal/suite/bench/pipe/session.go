package pipe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/suite/bench/workload"
	"github.com/loopstone/loopstone/spec"
)

// answerTime is how long any single answer may take: a batch of the largest events, on a machine that is busy.
const answerTime = time.Minute

// child is a port's process, and the wire to it.
type child struct {
	wire   *stdio.Wire
	mark   string // in the environment of the process and of all that it starts
	echo   bool   // it is no port: any line is an answer
	lastID int
}

// marks tells the children of this process apart.
var marks atomic.Int64

func startChild(ctx context.Context, program Program) (*child, error) {
	mark := fmt.Sprintf("LOOPSTONE_BENCH=%d/%d", os.Getpid(), marks.Add(1))
	command := program.Command
	command.Env = append(command.Env[:len(command.Env):len(command.Env)], mark)
	wire, err := stdio.OpenWire(ctx, command, stdio.Options{RequestTimeout: answerTime, Left: program.Left})
	if err != nil {
		return nil, err
	}
	return &child{wire: wire, mark: mark}, nil
}

// close ends the process and forgets how: what was measured was measured before.
func (c *child) close() { c.wire.Close() }

// ask sends one request, whose body is what follows its id, and returns the result.
func (c *child) ask(body []byte) (spec.Value, error) {
	if err := c.wire.Send(c.appendRequest(nil, body)); err != nil {
		return spec.Value{}, err
	}
	line, err := c.receive()
	if err != nil {
		return spec.Value{}, err
	}
	answer, err := spec.ParseValue(line)
	if err != nil {
		return spec.Value{}, fmt.Errorf("read an answer: %w", err)
	}
	return answer.Get("result"), nil
}

// appendRequest appends a request with the next id.
func (c *child) appendRequest(b, body []byte) []byte {
	c.lastID++
	b = append(b, `{"jsonrpc":"2.0","id":`...)
	b = strconv.AppendInt(b, int64(c.lastID), 10)
	b = append(b, ',')
	return append(b, body...)
}

// receive returns the next line, which is valid until the next call. A port that refuses what it is asked has no
// speed; what a result holds is the suite's to judge.
func (c *child) receive() ([]byte, error) {
	line, err := c.wire.Receive(answerTime)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fmt.Errorf("the port ended; its stderr ends in %q", c.wire.Stderr())
	}
	if err != nil {
		return nil, err
	}
	if !c.echo && !bytes.Contains(line, []byte(`"result"`)) {
		return nil, fmt.Errorf("the port refused a request: %.300s", line)
	}
	return line, nil
}

// stream sends requests, all at once, and takes as many answers. A goroutine sends while this one receives, because a
// port that nobody reads from stops reading too; it has ended when stream returns.
func (c *child) stream(requests []byte, answers int) error {
	sent := make(chan error, 1)
	go func() { sent <- c.wire.Send(requests) }()
	for range answers {
		if _, err := c.receive(); err != nil {
			c.close() // so that the sender is not left waiting
			<-sent
			return err
		}
	}
	return <-sent
}

// resident returns the resident memory of the process and of all that it has started, in bytes; 0 where the operating
// system does not say.
func (c *child) resident() int64 {
	total := int64(0)
	folders, _ := filepath.Glob("/proc/[0-9]*") // well-formed; with a name behind it, each folder would be listed
	for _, folder := range folders {
		environment, err := os.ReadFile(filepath.Join(folder, "environ"))
		if err == nil && bytes.Contains(environment, []byte(c.mark+"\x00")) {
			total += residentOf(folder)
		}
	}
	return total
}

// residentOf reads the second number of /proc/PID/statm, which counts pages.
func residentOf(folder string) int64 {
	statm, err := os.ReadFile(filepath.Join(folder, "statm"))
	fields := bytes.Fields(statm)
	if err != nil || len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}

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
