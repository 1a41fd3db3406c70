package generate

import (
	"fmt"
	"sync"

	"github.com/loopstone/loopstone/internal/laws"
	"github.com/loopstone/loopstone/spec"
)

// cast is who and what takes part in a trace.
type cast struct {
	agents     int  // sessions
	agent      int  // whose turn it is
	timed      bool // events have `at`
	named      bool // calls have ids, and results name them
	distracted bool // events come in between that the letters know nothing of
	sort       int  // of crow's letters
	turns      bool // mostly two letters take turns

	lastID spec.Value // of the latest call with one; absent before any
	nextID int        // position in freshIDs
	clock  int        // half seconds since the agents started
}

// castEvents draws what the events of the trace have in common.
func (d *draft) castEvents() {
	d.agents = 1
	if d.oneIn(8) {
		d.agents = d.between(2, 3)
	}
	d.timed = d.oneIn(8)
	d.named = d.maybe()
	d.distracted = d.oneIn(4)
	if d.world.cast != nil {
		d.world.cast(d)
	}
}

var (
	freshIDs  = numberedTexts("call-%d", 128)
	reusedIDs = []spec.Value{spec.StringValue("1"), spec.StringValue("2"), spec.StringValue("é"), spec.StringValue("")}
	unknownID = spec.StringValue("nobody")
)

func numberedTexts(format string, n int) []spec.Value {
	list := make([]spec.Value, n)
	for i := range list {
		list[i] = spec.StringValue(fmt.Sprintf(format, i))
	}
	return list
}

// id returns the id of a new call: mostly one that no call had before.
func (d *draft) id() spec.Value {
	if d.oneIn(4) {
		d.lastID = pick(d.dice, reusedIDs)
	} else {
		d.lastID = freshIDs[d.nextID%len(freshIDs)]
		d.nextID++
	}
	return d.lastID
}

// earlierID returns the id of some call, or of none.
func (d *draft) earlierID() spec.Value {
	switch {
	case d.oneIn(8):
		return unknownID
	case d.oneIn(4) || d.lastID.IsAbsent():
		return pick(d.dice, reusedIDs)
	case d.oneIn(4) && d.nextID > 0:
		return freshIDs[max(d.nextID-1-d.below(4), 0)%len(freshIDs)]
	default:
		return d.lastID
	}
}

// callsWithIDs returns more calls with an id than the detector fingerprint has to remember, and a result of a call that
// there never was.
var callsWithIDs = sync.OnceValue(func() []laws.Step {
	const calls = 1000 + 10
	steps := make([]laws.Step, calls)
	for i := range steps {
		steps[i].Event = spec.MustParse(fmt.Sprintf(`{"type":"tool_call","tool":"bash","id":"id-%d"}`, i))
	}
	unknown := spec.MustParse(`{"type":"tool_result","content":"","ok":false,"call":"nobody"}`)
	return append(steps, laws.Step{Event: unknown})
})
