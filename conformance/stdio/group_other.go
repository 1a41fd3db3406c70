//go:build !unix && !windows

package stdio

import (
	"os"
	"os/exec"
)

const (
	nameOfTerminate = "its end"
	nameOfKill      = "its end"
)

// group is one process: there are no groups here, and its exit status says all there is to say.
type group struct{ process *os.Process }

func startGroup(cmd *exec.Cmd) (*group, error) {
	err := cmd.Start()
	return &group{cmd.Process}, err
}

func (g *group) terminate() { _ = g.process.Kill() }

func (g *group) kill() { _ = g.process.Kill() }

func (g *group) release() {}

func (g *group) strays(string) []string { return nil }

func signalOf(*os.ProcessState) string { return "" }

// isBeingWritten reports nothing here: who writes a program is not told apart.
func isBeingWritten(error) bool { return false }

func shortOf(error) string { return "" }
