// Package processgroup runs a program in a process group of its own, which ends with all that the program has started,
// and knows which of these processes live. It has a file for each operating system. What the program is, an adapter or
// a command, it does not know.
package processgroup

import (
	"context"
	"errors"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// living are the groups that were started and not released. Once it is closed, nothing starts any more.
var living = struct {
	sync.Mutex
	groups map[*Group]bool
	closed bool
}{groups: map[*Group]bool{}}

var errClosed = errors.New("the program is ending")

// Start starts a process in a group of its own, so that what it leaves behind can be ended with it, and so that the
// terminal's Ctrl-C reaches this program alone. Whoever starts a Group releases it.
func Start(cmd *exec.Cmd) (*Group, error) {
	living.Lock()
	defer living.Unlock()
	if living.closed {
		return nil, errClosed
	}
	g, err := start(cmd)
	if err == nil {
		living.groups[g] = true
	}
	return g, err
}

// Release forgets the group, whose process has ended.
func (g *Group) Release() {
	living.Lock()
	defer living.Unlock()
	delete(living.groups, g)
	g.release()
}

// KillAll kills all groups that live, for a program that exits at once. Nothing can be started any more.
func KillAll() {
	living.Lock()
	defer living.Unlock()
	living.closed = true
	for g := range living.groups {
		g.Kill()
	}
}

// drainTime is how long what has left the group may hold the output open.
const drainTime = time.Second

// Run runs a command to its end, and kills it with all that it has started once the context is done. What it leaves
// behind is killed, too. The error of a command that the context ended is the cause of that.
func Run(ctx context.Context, cmd *exec.Cmd) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	runtime.LockOSThread() // Linux ends the process with the thread that started it
	defer runtime.UnlockOSThread()
	cmd.WaitDelay = drainTime
	g, err := Start(cmd)
	if err != nil {
		return err
	}
	defer g.Release()
	stop := context.AfterFunc(ctx, g.Kill)
	err = cmd.Wait()
	stop()
	g.Kill()
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
