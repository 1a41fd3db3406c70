//go:build !unix

package stdio

import (
	"os"
	"os/exec"
)

// There are no process groups here: only the process itself is ended, and its exit status says all there is to say.

func ownGroup(*exec.Cmd) {}

func terminateGroup(leader *os.Process) { _ = leader.Kill() }

func killGroup(leader *os.Process) { _ = leader.Kill() }

func shortOf(error) string { return "" }

func strays(*os.Process, string) []string { return nil }

func signalOf(*os.ProcessState) string { return "" }
