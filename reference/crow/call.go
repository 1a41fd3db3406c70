package crow

import (
	"bytes"

	"github.com/loopstone/loopstone/reference/pyjson"
	"github.com/loopstone/loopstone/spec"
)

// call is one tool call in a form that is cheap to compare.
type call struct {
	tool  string
	args  []byte // as Python's json.dumps(args, sort_keys=True) writes them
	index int    // of its event
}

// set makes c the call of an event; the memory of the arguments that it had is used again.
func (c *call) set(e spec.Event) {
	c.tool, c.index = e.Tool, e.Index
	c.args = pyjson.AppendSorted(c.args[:0], e.Args) // CR-3
}

// identical reports whether tools and arguments are equal; nothing else matters. // CR-2, CR-4
func (c *call) identical(d *call) bool { return c.tool == d.tool && bytes.Equal(c.args, d.args) }
