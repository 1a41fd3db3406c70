// Package redisserver starts a real redis-server for a test: on a free port of the loopback, with its files in a folder
// of the test's own, and gone when the test is.
package redisserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/rueidis"
)

// startTime is how long a server may take to answer: a busy machine may let it wait for many seconds.
const startTime = time.Minute

// Server is a redis-server that runs until the end of its test, or until Kill.
type Server struct {
	Address string // host:port

	tb     testing.TB
	args   []string
	folder string
	log    bytes.Buffer
	cmd    *exec.Cmd
	ended  chan struct{} // closed once the process is gone and its output is whole
}

// mostStarts is how many ports a server tries: another process may take a port between its choice and its use.
const mostStarts = 5

// errEnded says that the server ended before it answered.
var errEnded = errors.New("it ended before it answered")

// Start starts a server with further arguments, such as "--appendonly", "yes", and waits until it answers. With -short
// the test is skipped. So it is where the machine has no redis-server; with LOOPSTONE_REDIS set, it fails there.
func Start(tb testing.TB, args ...string) *Server {
	tb.Helper()
	if testing.Short() {
		tb.Skip("it starts a redis-server: make swarm-shared runs it")
	}
	if _, err := exec.LookPath("redis-server"); err != nil {
		if os.Getenv("LOOPSTONE_REDIS") != "" {
			tb.Fatalf("redis-server is not installed; run: make swarm-shared")
		}
		tb.Skip("redis-server is not installed; run: make swarm-shared")
	}
	s := &Server{tb: tb, args: args, folder: tb.TempDir()}
	tb.Cleanup(s.stop)
	for try := 1; ; try++ {
		s.Address = FreeAddress(tb)
		err := s.start()
		if err == nil {
			return s
		}
		s.stop()
		if try == mostStarts || !errors.Is(err, errEnded) {
			tb.Fatalf("redis-server at %s: %v\n%s", s.Address, err, &s.log)
		}
	}
}

// URL returns the address as loopstone serve --swarm takes it.
func (s *Server) URL() string { return "redis://" + s.Address }

// Client is a client of one server.
type Client struct{ rueidis.Client }

// Ask sends a command: its name and its arguments.
func (c Client) Ask(ctx context.Context, command ...string) rueidis.RedisResult {
	return c.Do(ctx, c.B().Arbitrary(command...).Build())
}

// Info returns what INFO says in sections of the server: a text by its name.
func (c Client) Info(ctx context.Context, sections ...string) (map[string]string, error) {
	text, err := c.Ask(ctx, append([]string{"INFO"}, sections...)...).ToString()
	info := map[string]string{}
	for line := range strings.Lines(text) {
		if name, value, found := strings.Cut(strings.TrimSpace(line), ":"); found {
			info[name] = value
		}
	}
	return info, err
}

// connect returns a client that waits for an answer as long as the server takes.
func (s *Server) connect() (Client, error) {
	client, err := rueidis.NewClient(rueidis.ClientOption{
		InitAddress: []string{s.Address}, ForceSingleClient: true, DisableCache: true, DisableRetry: true,
		Dialer: net.Dialer{Timeout: startTime}, ConnWriteTimeout: startTime,
	})
	return Client{client}, err
}

// Client returns a client that the end of the test closes.
func (s *Server) Client() Client {
	s.tb.Helper()
	client, err := s.connect()
	s.tb.Cleanup(client.Close)
	if err != nil {
		s.tb.Fatalf("redis-server at %s: %v", s.Address, err)
	}
	return client
}

// Restart starts the server that was killed, with the same port and files.
func (s *Server) Restart() {
	s.tb.Helper()
	if err := s.start(); err != nil {
		s.stop()
		s.tb.Fatalf("redis-server at %s: %v\n%s", s.Address, err, &s.log)
	}
}

// start starts a process and waits until it answers.
func (s *Server) start() error {
	_, port, _ := net.SplitHostPort(s.Address)
	args := append([]string{
		"--port", port, "--bind", "127.0.0.1", "--dir", s.folder, "--save", "",
		"--repl-diskless-sync-delay", "0",
	}, s.args...)
	s.cmd = exec.Command("redis-server", args...)
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	if err := s.cmd.Start(); err != nil {
		return fmt.Errorf("start redis-server: %w", err)
	}
	cmd, ended := s.cmd, make(chan struct{})
	s.ended = ended
	go func() {
		_ = cmd.Wait() // which tells of the signal
		close(ended)
	}()
	return s.wait()
}

// wait waits for the answer to a PING of this very process: another one may have taken the port.
func (s *Server) wait() error {
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	for {
		id, err := s.process(ctx)
		if err == nil {
			if id == strconv.Itoa(s.cmd.Process.Pid) {
				return nil
			}
			return fmt.Errorf("another server has the port")
		}
		select {
		case <-s.ended:
			return errEnded
		case <-ctx.Done():
			return fmt.Errorf("no answer in %s: %w", startTime, err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// process asks the server for the id of its process.
func (s *Server) process(ctx context.Context) (id string, err error) {
	client, err := s.connect()
	if err != nil {
		client.Close()
		return "", err
	}
	defer client.Close()
	info, err := client.Info(ctx, "server")
	return info["process_id"], err
}

// CatchUp waits until the server, a replica, has all that the primary wrote.
func (s *Server) CatchUp(primary *Server) {
	s.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), startTime)
	defer cancel()
	there, here := primary.Client(), s.Client()
	for {
		written, err := there.Info(ctx, "replication")
		taken, hereErr := here.Info(ctx, "replication")
		if err != nil || hereErr != nil {
			s.tb.Fatalf("wait for the replica at %s: %v", s.Address, errors.Join(err, hereErr))
		}
		if taken["master_link_status"] == "up" && taken["slave_repl_offset"] == written["master_repl_offset"] {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// Kill ends the server as kill -9 does, and waits until it is gone.
func (s *Server) Kill() {
	_ = s.cmd.Process.Kill() // it may have ended by itself
	<-s.ended
}

// Stall stops the server for a while, as a machine does that has no time for it: connections stay open, and requests
// wait.
func (s *Server) Stall(length time.Duration) {
	s.tb.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		s.tb.Fatalf("stop redis-server at %s: %v", s.Address, err)
	}
	time.Sleep(length)
	if err := s.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		s.tb.Fatalf("continue redis-server at %s: %v", s.Address, err)
	}
}

func (s *Server) stop() {
	if s.ended != nil {
		s.Kill()
	}
}

// FreeAddress returns an address of the loopback that nobody listens on.
func FreeAddress(tb testing.TB) string {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
