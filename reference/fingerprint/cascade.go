package fingerprint

import (
	"slices"
	"strconv"

	"github.com/loopstone/loopstone/spec"
)

// maxRemembered is how many tool calls with an id a result can name. [FP-34]
const maxRemembered = 1000

// fileCommands are the commands that an agent should leave to its file tools (D1#bash-failure-cascade).
var fileCommands = []string{"cat", "echo", "sed"}

// cascade counts failing bash commands, and remembers which call a result may belong to.
type cascade struct {
	run               // of failures
	failedOnFile bool // whether the last failing command works on a file; false without a run
	lastOnFile   bool // whether the command of the last bash call does; false before any

	recent []namedCall    // the last calls with an id, a ring once it is full
	oldest int            // position in recent that is overwritten next, where it is full
	byID   map[string]int // position in recent of the latest call with that id
}

// namedCall is what a result needs to know of the call that it names.
type namedCall struct {
	id     string
	tool   string
	onFile bool // whether its command works on a file
}

// remember takes in a tool call, before its result is known.
func (c *cascade) remember(e spec.Event) {
	if e.Tool == bash {
		c.lastOnFile = onFile(e.Args)
	}
	if e.HasID {
		c.store(namedCall{e.ID, e.Tool, onFile(e.Args)})
	}
}

// onFile reports whether a call's command works on a file.
func onFile(args spec.Value) bool { return slices.Contains(fileCommands, firstWord(args)) } // FP-35

// store makes the call the one of its id and forgets the oldest where there are too many. [FP-34]
func (c *cascade) store(call namedCall) {
	if c.byID == nil {
		c.byID = map[string]int{}
	}
	at := len(c.recent)
	if at < maxRemembered {
		c.recent = append(c.recent, call)
	} else {
		at = c.oldest
		if forgotten := c.recent[at].id; c.byID[forgotten] == at {
			delete(c.byID, forgotten)
		}
		c.recent[at] = call
		c.oldest = (at + 1) % maxRemembered
	}
	c.byID[call.id] = at
}

// named returns the call that a result names and whether it is remembered.
func (c *cascade) named(e spec.Event) (namedCall, bool) {
	if !e.HasCall {
		return namedCall{}, false
	}
	at, ok := c.byID[e.Call]
	if !ok {
		return namedCall{}, false
	}
	return c.recent[at], true
}

// observeResult counts failures of bash commands. A result of another tool, or of nobody knows which, is neutral, and
// leaves the verdict as it is. [FP-31]
func (d *Detector) observeResult(e spec.Event) spec.Verdict {
	c := &d.bash
	call, known := c.named(e)
	d.log.Apply("FP-32")
	if e.HasCall && len(c.recent) == maxRemembered {
		d.log.Apply("FP-34")
	}
	switch {
	case toolOf(e, call) != bash:
		d.log.Apply("FP-33")
	case e.OK:
		d.log.Apply("FP-31")
		c.end()
		c.failedOnFile = false
	default:
		d.log.Apply("FP-31")
		c.add(e.Index)
		c.failedOnFile = known && call.onFile || !known && c.lastOnFile
	}
	if c.count < d.bashFailures {
		return spec.Verdict{}
	}
	d.log.Apply("FP-35")
	verdict := c.verdict(spec.KindBashCascade)
	verdict.Message = cascadeMessage(c.count, c.failedOnFile)
	return verdict
}

// toolOf returns the tool whose result this is: as the result says, else that of the call that it names; empty where
// neither is known. [FP-32]
func toolOf(e spec.Event, named namedCall) string {
	if e.HasTool {
		return e.Tool
	}
	return named.tool
}

// cascadeMessage is the text for an agent whose bash commands failed count times. D1 describes it without giving it;
// what it must hold, FP-35 says.
func cascadeMessage(count int, onFile bool) string {
	text := "[System] " + strconv.Itoa(count) + " bash commands in a row have failed. " +
		"Do not run variations of the same command; find out why they fail first."
	if onFile {
		text += "\nUse the proper tools for files instead of bash: write_file, edit_file and read_file."
	}
	return text
}
