package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/loopstone/loopstone/internal/processgroup"
)

const (
	// drainTime is how long the pipes of an ended process are still read. They end by themselves at once, unless
	// something that left its process group holds them open.
	drainTime = time.Second
	// killTime is how long SIGKILL may take: only a process that hangs in the kernel needs any time at all.
	killTime = 5 * time.Second
)

// process is an adapter that runs, with all that it starts, and our ends of its pipes.
type process struct {
	name  string // for messages
	group *processgroup.Group

	input  *os.File // its stdin
	output *os.File // its stdout
	stderr *tail

	exited  chan struct{} // closed when it has ended and what it left behind was killed
	drained chan struct{} // closed after that, when its stderr was read
	exit    Exit          // to be read after exited
	mark    string        // of the environment of the process and of all that it starts

	ctx     context.Context // of its life
	options Options         // with the defaults

	mu       sync.Mutex
	deadline time.Time // of reading the output; zero without one
}

// startProcess starts an adapter in a process group of its own. Cancelling ctx kills it.
func startProcess(ctx context.Context, command Command, options Options) (*process, error) {
	if ctx.Err() != nil {
		return nil, cancelled(ctx, command.String(), "before it was started")
	}
	p := newProcess(ctx, command.String(), options)
	ends, err := openPipes(3)
	if err != nil {
		return nil, p.notStarted(err)
	}
	cmd := command.prepare(p.mark)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = ends[0].read, ends[1].write, ends[2].write
	p.input, p.output = ends[0].write, ends[1].read
	started := make(chan error)
	go p.live(cmd, started, ends[2].read)
	err = <-started
	closeAll(ends[0].read, ends[1].write, ends[2].write) // the process has its own copies
	if err != nil {
		closeAll(ends[0].write, ends[1].read, ends[2].read)
		return nil, p.notStarted(err)
	}
	return p, nil
}

// live is a child's whole life, on one thread: the kernel ends the child with the thread that started it, so that none
// survives a runner that was killed.
func (p *process) live(cmd *exec.Cmd, started chan<- error, stderr *os.File) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var err error
	p.group, err = processgroup.Start(cmd)
	started <- err
	if err != nil {
		return
	}
	defer close(p.drained)
	defer p.group.Release()
	p.reap(cmd, stderr)
	if p.options.Left != nil {
		for _, stray := range strays(p.group.Leader(), p.mark) {
			p.options.Left(stray)
		}
	}
}

// processes counts the processes that were started.
var processes atomic.Int64

func newProcess(ctx context.Context, name string, options Options) *process {
	options = options.withDefaults()
	return &process{
		name:    name,
		mark:    fmt.Sprintf("%s=%d.%d", markName, os.Getpid(), processes.Add(1)),
		stderr:  &tail{limit: options.StderrLimit},
		exited:  make(chan struct{}),
		drained: make(chan struct{}),
		ctx:     ctx,
		options: options,
	}
}

const noMore = "this machine has no more "

func (p *process) notStarted(err error) *ProcessError {
	e := &ProcessError{Reason: NotStarted, Command: p.name, Problem: "the command cannot be run", Err: err}
	if problem := shortage(err); problem != "" {
		e.Reason, e.Problem = NoRoom, problem
	} else if isBeingWritten(err) {
		e.Reason, e.Problem = NoRoom, "its program is being written"
	} else if cause, ok := errors.AsType[*exec.Error](err); ok {
		e.Problem += ": " + cause.Err.Error()
	} else if cause, ok := errors.AsType[*fs.PathError](err); ok {
		e.Problem += ": " + cause.Err.Error()
	}
	return e
}

// reap owns the process: it waits for its end and cleans up after it. Whoever started the process waits for what calls
// reap through drained.
func (p *process) reap(cmd *exec.Cmd, stderr *os.File) {
	stop := context.AfterFunc(p.ctx, p.group.Kill)
	var reading sync.WaitGroup
	reading.Go(func() { p.readStderr(stderr) })
	_ = cmd.Wait() // the state says how the process ended, and the pipes are ours
	p.exit = Exit{Code: cmd.ProcessState.ExitCode(), Signal: signalOf(cmd.ProcessState)}
	stop()
	p.group.Kill()
	p.endOutputWithin(drainTime)
	setReadDeadline(stderr, time.Now().Add(drainTime))
	close(p.exited)
	reading.Wait()
}

// readStderr ends with the pipe, or with the deadline that reap sets; either way, what was read is all there is.
func (p *process) readStderr(stderr *os.File) {
	_, _ = io.Copy(p.stderr, stderr)
	_ = stderr.Close()
}

// endOutputWithin sees to it that nobody reads the output for longer; an earlier deadline stays.
func (p *process) endOutputWithin(limit time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := time.Now().Add(limit)
	if p.deadline.IsZero() || t.Before(p.deadline) {
		p.deadline = t
		setReadDeadline(p.output, t)
	}
}

// setReadDeadline makes a Read end in time. A file that has no deadlines is left to end by itself, and one that is
// closed has ended.
func setReadDeadline(f *os.File, t time.Time) { _ = f.SetReadDeadline(t) }

// exitsWithin waits for the process's end.
func (p *process) exitsWithin(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}

// hasExited reports whether the process has ended.
func (p *process) hasExited() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// closeInput ends the process's input; a Write that waits for the process fails. Closing twice does no harm.
func (p *process) closeInput() { _ = p.input.Close() }

// knock is how long an empty line to an adapter may take, which finds out whether anybody could read it.
const knock = 10 * time.Millisecond

// isDeaf reports whether the process has closed its input. It is for one that is given up: it writes a line end.
func (p *process) isDeaf() bool {
	_ = p.input.SetWriteDeadline(time.Now().Add(knock))
	_, err := p.input.Write([]byte("\n"))
	return errors.Is(err, syscall.EPIPE)
}

// kill ends the process without asking.
func (p *process) kill() {
	if !p.hasExited() { // its number may be another's by now
		p.group.Kill()
	}
}

// stop ends the process, as gently as it lets itself be ended: first its input ends, then it is asked, then it is
// killed. Each step but the last takes at most the limit. It reports whether the end of its input was enough, and
// whether the process has ended: not even SIGKILL ends one that hangs in the kernel.
func (p *process) stop(limit time.Duration) (willing, ended bool) {
	p.closeInput()
	if p.exitsWithin(limit) {
		return true, true
	}
	p.group.Terminate()
	if p.exitsWithin(limit) {
		return false, true
	}
	p.group.Kill()
	return false, p.exitsWithin(killTime)
}

// release gives back what is left, once nobody reads the process's output any more.
func (p *process) release() {
	closeAll(p.input, p.output)
	if p.hasExited() {
		<-p.drained
	}
}

// stderrLines is how many of the last lines of stderr an error carries: enough for a stack trace's end.
const stderrLines = 20

// lastWords returns the last lines that the process wrote to stderr so far.
func (p *process) lastWords() string { return lastLines(p.stderr.String(), stderrLines) }

// pipe is a pipe of the operating system.
type pipe struct{ read, write *os.File }

func openPipes(n int) ([]pipe, error) {
	pipes := make([]pipe, n)
	for i := range pipes {
		read, write, err := os.Pipe()
		if err != nil {
			for _, p := range pipes[:i] {
				closeAll(p.read, p.write)
			}
			return nil, fmt.Errorf("open pipe: %w", err)
		}
		pipes[i] = pipe{read, write}
	}
	return pipes, nil
}

// closeAll closes pipes; there is nothing to be lost by it, and some may be closed already.
func closeAll(files ...*os.File) {
	for _, f := range files {
		_ = f.Close()
	}
}

// Exit says how a process ended.
type Exit struct {
	Code   int    // the exit status; -1 where a signal ended it
	Signal string // the signal's name, such as "killed"; empty without one
}

// String returns, for instance, "exit status 3" or "signal killed".
func (e Exit) String() string {
	if e.Signal != "" {
		return "signal " + e.Signal
	}
	return fmt.Sprintf("exit status %d", e.Code)
}
