package history

import (
	"encoding/hex"

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
func (d *detector) Restore(v spec.Value) error { // HI-26
	calls, err := d.readCalls(v)
	if err != nil {
		return err
	}
	d.Reset()
	for _, c := range calls {
		d.record(c)
	}
	return nil
}

// readCalls reads a snapshot whole, and checks that the configuration could have written it.
func (d *detector) readCalls(v spec.Value) ([]call, error) {
	items := v.Get("calls")
	if v.Kind() != spec.Object || len(v.Members()) != 1 || items.Kind() != spec.Array {
		return nil, spec.BadState("want an object with the array calls, got %s", v)
	}
	if n := len(items.Items()); n > d.HistorySize { // HI-29
		return nil, spec.BadState("calls: %d in a window of %d", n, d.HistorySize)
	}
	var calls []call
	first := map[rules.Digest]call{} // by hash
	for i, item := range items.Items() {
		c, err := d.readCall(item)
		if err != nil {
			return nil, spec.BadState("calls/%d: %v", i, err)
		}
		if same, seen := first[c.hash]; seen && same.limit != c.limit {
			return nil, spec.BadState("calls/%d: an equal call has another tool", i)
		}
		first[c.hash] = c
		calls = append(calls, c)
	}
	return calls, nil
}

func (d *detector) readCall(v spec.Value) (call, error) {
	c := call{index: restored}
	if v.Kind() != spec.Object || v.Get("hash").IsAbsent() {
		return c, spec.BadState("want an object with a hash, got %s", v)
	}
	for _, m := range v.Members() {
		if err := d.readMember(&c, m); err != nil {
			return c, err
		}
	}
	return c, nil
}

// readMember reads one member of a call. A member that no rule of this configuration needs is refused.
func (d *detector) readMember(c *call, m spec.Member) error {
	text, isText := m.Value.Str()
	limit, limited := d.limitOf[text]
	ok := false
	switch m.Name {
	case "hash":
		ok = parseDigest(text, &c.hash)
	case "limited_tool":
		c.limit, ok = limit, limited
	case "first_word":
		ok = d.FirstWordThreshold > 0 && parseDigest(text, &c.word)
	}
	if !ok || !isText {
		return spec.BadState("%s: unexpected %s", m.Name, m.Value)
	}
	return nil
}

// parseDigest reads 32 lower-case hexadecimal digits.
func parseDigest(text string, into *rules.Digest) bool {
	decoded, err := hex.DecodeString(text)
	if err != nil || len(decoded) != len(into) {
		return false
	}
	copy(into[:], decoded)
	return into.String() == text
}
