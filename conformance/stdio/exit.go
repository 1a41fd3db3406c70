package stdio

import (
	"fmt"
	"os"
)

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

func exitOf(state *os.ProcessState) Exit {
	return Exit{Code: state.ExitCode(), Signal: signalOf(state)}
}

// Measure says what it took to end a process.
type Measure int

// The measures, from the gentlest on.
const (
	Nothing    Measure = iota // it ended by itself, or when its input ended
	Terminated                // SIGTERM
	Killed                    // SIGKILL
	Abandoned                 // not even SIGKILL ended it in time; it may still be there
)

var measureNames = [...]string{"nothing", "SIGTERM", "SIGKILL", "more than SIGKILL"}

// String returns what was needed, for messages.
func (m Measure) String() string { return measureNames[m] }

// Ending says how an adapter was stopped.
type Ending struct {
	Shutdown bool          // it answered the shutdown request
	Needed   Measure       // what it took after that and the end of its input
	Exit     Exit          // meaningless where it was abandoned
	Failure  *ProcessError // why the client gave it up before; nil where it did not
	Stderr   string        // the end of what it wrote there
}

// Orderly reports whether the adapter stopped as the protocol demands: it answered the shutdown request and exited
// with status 0 by itself.
func (e Ending) Orderly() bool {
	return e.Failure == nil && e.Shutdown && e.Needed == Nothing && e.Exit == Exit{}
}

// String returns what happened in one sentence.
func (e Ending) String() string {
	switch {
	case e.Failure != nil:
		return e.Failure.Error()
	case e.Needed == Abandoned:
		return "it could not be ended by SIGKILL"
	case !e.Shutdown:
		return fmt.Sprintf("no answer to shutdown; it took %s to end it: %s", e.Needed, e.Exit)
	case e.Needed != Nothing:
		return fmt.Sprintf("it answered shutdown, but it took %s to end it: %s", e.Needed, e.Exit)
	default:
		return "after shutdown: " + e.Exit.String()
	}
}
