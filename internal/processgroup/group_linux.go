package processgroup

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// endWithRunner has the kernel end the process when the thread that started it ends.
func endWithRunner(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGKILL }

// IsStopped reports whether the leader is stopped by a signal or a debugger.
func (g *Group) IsStopped() bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", g.leader)) // 4242 (name, be it with a ")") T …
	_, state, found := bytes.Cut(text[max(bytes.LastIndexByte(text, ')'), 0):], []byte(" "))
	return err == nil && found && len(state) > 0 && (state[0] == 'T' || state[0] == 't')
}
