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

func startChild(ctx context.Context, command stdio.Command) (*child, error) {
	mark := fmt.Sprintf("LOOPSTONE_BENCH=%d/%d", os.Getpid(), marks.Add(1))
	command.Env = append(command.Env[:len(command.Env):len(command.Env)], mark)
	wire, err := stdio.OpenWire(ctx, command, stdio.Options{RequestTimeout: answerTime})
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
	environments, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is well-formed
	for _, file := range environments {
		environment, err := os.ReadFile(file)
		if err == nil && bytes.Contains(environment, []byte(c.mark+"\x00")) {
			total += residentOf(filepath.Dir(file))
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
