package stdio

import "syscall"

// endWithRunner has the kernel end the process when the thread that started it ends.
func endWithRunner(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGKILL }
