// Package agentlogs reads the logs that agent frameworks write: runs, as events of the protocol's vocabulary. Each
// format has a file, and formats.go the table of them. Recordings for examples are in the folder recordings.
//
// A reader hands on what the log says, in the log's order, and tells what it left out and what it could not know; it
// never guesses. Counters, ids and times of the log get into no content, or equal results would differ. A log is
// private and may be hostile, and may be larger than memory: a reader hands on one event at a time, keeps nothing of
// those that it has handed on, and sends nothing anywhere. Nothing that a log holds gets into an error or a note.
package agentlogs

import (
	"fmt"
	"strconv"

	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// Run is one run of one agent: a session. The reader makes it when it meets the run's first event; events of several
// runs may come interleaved, as those of side chains do.
type Run struct {
	Name   string `json:"name"`            // unique among the runs of one source
	Source string `json:"source"`          // the file that it was read from
	Format string `json:"format"`          // the name of the source's format
	Agent  string `json:"agent,omitempty"` // the agent or model, where the recording names it

	// Solved says whether the run solved its task; nil where the recording does not say. It is known when the run is over.
	Solved *bool `json:"-"`

	Relations []string `json:"-"` // of each step but the first to the one before, where people labelled them
}

// solvedReward is what tau-bench and InterCode give to a run that solved its task.
const solvedReward = 1

// reward takes over a reward, if it is one.
func (r *Run) reward(v spec.Value) {
	if n, isNumber := v.Float(); isNumber {
		solved := n == solvedReward
		r.Solved = &solved
	}
}

// Place is a position in a source.
type Place struct {
	Line    int    // from 1; 0 where the source is no text of lines
	Pointer string // a JSON pointer within the line, or within the whole source where Line is 0
}

// Event is one event of a run.
type Event struct {
	Run   *Run
	Value spec.Value // as [spec.Port] observes it: no counters, ids or times of the recording inside its contents
	Place Place
}

// MostPointer is how many characters of a pointer are shown: a log may be nested deep, and its names may be long.
const MostPointer = 120

// String returns the place as an error has it: a line, a pointer, or both.
func (p Place) String() string {
	pointer := wording.Cut(p.Pointer, MostPointer)
	switch {
	case p.Line == 0:
		return strconv.Quote(pointer)
	case p.Pointer == "":
		return strconv.Itoa(p.Line)
	default:
		return fmt.Sprintf("%d at %q", p.Line, pointer)
	}
}

// Note says something that a reader left out, or could not know: a part of the source that is no event, a format
// without error flags. Readers never guess.
type Note struct {
	Run    *Run   // nil where it is about the whole source
	Source string // the file; empty where Run names it, or the text
	Place  Place
	Text   string // as a clause that follows the place: "a reply of type image was left out"
	Times  int    // how often that is so, in the place and after it; 0 stands for 1
}

// Said returns the text with how often it is so.
func (n Note) Said() string {
	if n.Times <= 1 {
		return n.Text
	}
	return fmt.Sprintf("%s (%d times, here first)", n.Text, n.Times)
}

// String returns the note in one line, with where it is about.
func (n Note) String() string {
	source := n.Source
	if source == "" && n.Run != nil {
		source = n.Run.Source
	}
	switch {
	case source == "":
		return n.Said()
	case n.Place == Place{}:
		return source + ": " + n.Said()
	default:
		return source + ":" + n.Place.String() + ": " + n.Said()
	}
}

// Sink takes what a reader finds. An error of Event ends the reading and is returned as it is.
type Sink struct {
	Event func(Event) error
	Note  func(Note)
}
