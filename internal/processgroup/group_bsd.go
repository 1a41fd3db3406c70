//go:build unix && !linux

package processgroup

import "syscall"

// endWithRunner can do nothing here: an adapter sees the end of its input when the runner is gone.
func endWithRunner(*syscall.SysProcAttr) {}

// IsStopped knows nothing here: there is no /proc.
func (*Group) IsStopped() bool { return false }
