package history

import (
	"encoding/hex"

	"github.com/loopstone/loopstone/reference/fast"
	rules "github.com/loopstone/loopstone/reference/history"
	"github.com/loopstone/loopstone/spec"
)

// unlimited is the place of the limit of tools without a limit.
const unlimited = 0

// Snapshot returns all that is needed to go on under the same configuration: the calls of the window, the oldest first,
// each with its hash and, where a rule needs them, the tool whose limit counts it and the digest of its first word.
func (d *detector) Snapshot() spec.Value { // HI-25
	tools := make([]string, len(d.allowed))
	for tool, place := range d.limitOf {
		tools[place] = tool
	}
	items := make([]spec.Value, 0, len(d.window.calls))
	for number := d.window.oldest(); number < d.window.next; number++ {
		c := d.window.at(number)
		items = append(items, c.value(tools[c.limit]))
	}
	return spec.ObjectValue(spec.Member{Name: "calls", Value: spec.ArrayValue(items...)})
}

// value writes a call, with the tool if the call has a limit.
func (c *call) value(tool string) spec.Value {
	members := []spec.Member{{Name: "hash", Value: spec.StringValue(c.hash.String())}}
	if c.limit != unlimited {
		members = append(members, spec.Member{Name: "limited_tool", Value: spec.StringValue(tool)})
	}
	if c.word != (rules.Digest{}) {
		members = append(members, spec.Member{Name: "first_word", Value: spec.StringValue(c.word.String())})
	}
	return spec.ObjectValue(members...)
}

// Restore replaces the state by one that Snapshot returned under the same configuration. Its error is a [*spec.Fault]
// of kind invalid_state, and then nothing has changed.
func (d *detector) Restore(state spec.Value) error { // HI-26
	fresh := newDetector(d.Config)
	limits := map[rules.Digest]int{} // by hash
	for i, item := range state.Get("calls").Items() {
		c := fresh.callOf(item)
		if limit, seen := limits[c.hash]; seen && limit != c.limit {
			return spec.BadState("calls/%d: an equal call has another tool", i)
		}
		limits[c.hash] = c.limit
		fresh.record(c) // HI-29: of too many calls it forgets the first, which is found below
	}
	if err := fast.CheckRead(state, fresh); err != nil {
		return err
	}
	*d = *fresh
	return nil
}

// callOf reads a call; [fast.CheckRead] finds what it reads wrong.
func (d *detector) callOf(v spec.Value) call {
	c := call{hash: digestOf(v.Get("hash")), limit: d.limitOf[fast.Text(v.Get("limited_tool"))], index: fast.Restored}
	if d.FirstWordThreshold > 0 {
		c.word = digestOf(v.Get("first_word"))
	}
	return c
}

func digestOf(v spec.Value) (d rules.Digest) {
	sum, _ := hex.DecodeString(fast.Text(v))
	copy(d[:], sum)
	return d
}
