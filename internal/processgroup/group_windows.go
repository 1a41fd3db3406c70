package processgroup

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// killedStatus is the exit status of whatever is ended with its job.
const killedStatus = 1

// Group is a job: a process and all that it has started. The system ends them when the last handle of the job is
// closed, and so when the runner is gone, too.
type Group struct {
	leader uint32

	mu  sync.Mutex // guards job, whose number may be another's once it is closed
	job windows.Handle
}

// start lets the process take its first step within the job, so that nothing that it starts is outside of it.
func start(cmd *exec.Cmd) (*Group, error) {
	job, err := newJob()
	if err != nil {
		return nil, err
	}
	g := &Group{job: job}
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP}
	if err := cmd.Start(); err != nil {
		g.release()
		return nil, err
	}
	g.leader = uint32(cmd.Process.Pid)
	if err := g.admit(cmd.Process); err != nil {
		_ = cmd.Process.Kill() // it has done nothing yet
		_ = cmd.Wait()
		g.release()
		return nil, fmt.Errorf("put the process into a job: %w", err)
	}
	return g, nil
}

// newJob returns a job that ends with its last handle.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, fmt.Errorf("make a job: %w", err)
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		_ = windows.CloseHandle(job)
		return 0, fmt.Errorf("limit a job: %w", err)
	}
	return job, nil
}

// admit puts a process that has not taken a step into the job, and lets it go.
func (g *Group) admit(process *os.Process) error {
	var assigned error
	err := process.WithHandle(func(handle uintptr) {
		assigned = windows.AssignProcessToJobObject(g.job, windows.Handle(handle))
	})
	if err := errors.Join(err, assigned); err != nil {
		return err
	}
	return resume(g.leader)
}

// resume lets the only thread of a suspended process run. Go has closed the handle that CreateProcess gave it.
func resume(process uint32) error {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(snapshot)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(snapshot, &entry); err == nil; err = windows.Thread32Next(snapshot, &entry) {
		if entry.OwnerProcessID != process {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return err
		}
		defer windows.CloseHandle(thread)
		_, err = windows.ResumeThread(thread)
		return err
	}
	return fmt.Errorf("find its thread: %w", err)
}

// Leader returns the number of the process that was started.
func (g *Group) Leader() int { return int(g.leader) }

// Terminate asks the process to end, as Ctrl-Break at a terminal does. One without a console does not hear it, and is
// killed in the end.
func (g *Group) Terminate() { _ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, g.leader) }

// Kill ends all that is in the job. There is nothing to do where nothing is.
func (g *Group) Kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, killedStatus)
	}
}

// release closes the job, and with it ends whatever is left in it.
func (g *Group) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	_ = windows.CloseHandle(g.job)
	g.job = 0
}

// IsStopped knows nothing here: Windows has no such signal.
func (*Group) IsStopped() bool { return false }
