package fingerprint

import (
	"slices"

	rules "github.com/loopstone/loopstone/reference/fingerprint"
	"github.com/loopstone/loopstone/spec"
)

// maxCount is the highest count: beyond it, not every language has exact integers, so a snapshot could not be restored
// everywhere.
const maxCount = 1<<53 - 1

// Snapshot returns all that is needed to go on under the same configuration.
func (d *detector) Snapshot() spec.Value { // FP-43
	lastCall := spec.NullValue()
	if d.calls.exact > 0 {
		lastCall = spec.ObjectValue(
			spec.Member{Name: "tool", Value: spec.StringValue(d.calls.tool)},
			spec.Member{Name: "args", Value: d.calls.args},
		)
	}
	return spec.ObjectValue(
		spec.Member{Name: "last_call", Value: lastCall},
		spec.Member{Name: "exact", Value: spec.IntValue(d.calls.exact)},
		spec.Member{Name: "fuzzy", Value: spec.IntValue(d.calls.fuzzy)},
		spec.Member{Name: "test_failures", Value: spec.IntValue(d.tests.count)},
		spec.Member{Name: "bash_failures", Value: spec.IntValue(d.bash.count)},
		spec.Member{Name: "text_turns", Value: spec.IntValue(d.text.count)},
		spec.Member{Name: "failed_on_file", Value: spec.BoolValue(d.bash.failedOnFile)},
		spec.Member{Name: "last_bash_on_file", Value: spec.BoolValue(d.bash.lastOnFile)},
		spec.Member{Name: "named_calls", Value: d.bash.snapshot()},
		spec.Member{Name: "last_warning_time", Value: rules.Milliseconds(d.lastWarning)},
	)
}

// snapshot lists the remembered calls, the oldest first.
func (c *cascade) snapshot() spec.Value {
	items := make([]spec.Value, 0, len(c.recent))
	for _, call := range slices.Concat(c.recent[c.oldest:], c.recent[:c.oldest]) {
		items = append(items, spec.ObjectValue(
			spec.Member{Name: "id", Value: spec.StringValue(call.ID)},
			spec.Member{Name: "tool", Value: spec.StringValue(call.Tool)},
			spec.Member{Name: "on_file", Value: spec.BoolValue(call.OnFile)},
		))
	}
	return spec.ArrayValue(items...)
}

// Restore replaces the state by one that Snapshot returned under the same configuration. Its error is a [*spec.Fault]
// of kind invalid_state, and then nothing has changed.
func (d *detector) Restore(v spec.Value) error { // FP-44
	s, err := d.readState(v)
	if err != nil {
		return err
	}
	d.memory = s
	return nil
}

// readState reads a snapshot whole, and checks that the configuration could have written it.
func (d *detector) readState(v spec.Value) (memory, error) {
	var s memory
	r := &reader{}
	m := r.members(v, "last_call", "exact", "fuzzy", "test_failures", "bash_failures", "text_turns",
		"failed_on_file", "last_bash_on_file", "named_calls", "last_warning_time")
	s.calls = r.calls(m["last_call"])
	s.calls.exact = r.count("exact", m["exact"])
	s.calls.fuzzy = r.count("fuzzy", m["fuzzy"])
	s.tests.count = r.count("test_failures", m["test_failures"])
	s.bash.count = r.count("bash_failures", m["bash_failures"])
	s.text.count = r.count("text_turns", m["text_turns"])
	s.bash.failedOnFile = r.truth("failed_on_file", m["failed_on_file"])
	s.bash.lastOnFile = r.truth("last_bash_on_file", m["last_bash_on_file"])
	r.namedCalls(&s.bash, m["named_calls"])
	s.lastWarning = r.number("last_warning_time", m["last_warning_time"])
	if r.err == nil {
		r.err = d.checkState(&s)
	}
	return s, r.err
}

// checkState returns an error if no trace leads to the state under this configuration.
func (d *detector) checkState(s *memory) error {
	c := &s.calls
	called := !c.args.IsAbsent()
	switch {
	case c.fuzzy > d.Window: // FP-48
		return spec.BadState("fuzzy: %d calls in a window of %d", c.fuzzy, d.Window)
	case c.exact > c.fuzzy:
		return spec.BadState("exact: %d, but only %d have one fingerprint", c.exact, c.fuzzy)
	case called != (c.exact > 0), called != (c.fuzzy > 0):
		return spec.BadState("last_call: %s, but exact %d and fuzzy %d", c.args.Kind(), c.exact, c.fuzzy)
	case !called && (s.bash.lastOnFile || len(s.bash.recent) > 0):
		return spec.BadState("last_call: none, but calls are remembered")
	case c.tool == rules.Bash && s.bash.lastOnFile != rules.OnFile(c.args):
		return spec.BadState("last_bash_on_file: %t, but the last call is %s", s.bash.lastOnFile, c.args)
	}
	return nil
}

// reader reads the parts of a snapshot; the first fault stays.
type reader struct{ err error }

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = spec.BadState(format, args...)
	}
}

// members returns the members of an object that has these and no others.
func (r *reader) members(v spec.Value, names ...string) map[string]spec.Value {
	found := map[string]spec.Value{}
	for _, m := range v.Members() {
		if !slices.Contains(names, m.Name) {
			r.fail("unknown member %s", m.Name)
		}
		found[m.Name] = m.Value
	}
	if v.Kind() != spec.Object || len(found) < len(names) {
		r.fail("want an object with the members %v, got %s", names, v)
	}
	return found
}

func (r *reader) count(name string, v spec.Value) int {
	n, isInt := v.Int()
	if !isInt || n < 0 || n > maxCount {
		r.fail("%s: want a count, got %s", name, v)
	}
	return n
}

func (r *reader) number(name string, v spec.Value) float64 {
	f, isNumber := v.Float()
	if !isNumber {
		r.fail("%s: want a number, got %s", name, v)
	}
	return f
}

func (r *reader) text(name string, v spec.Value) string {
	s, isText := v.Str()
	if !isText {
		r.fail("%s: want a string, got %s", name, v)
	}
	return s
}

func (r *reader) truth(name string, v spec.Value) bool {
	if v.Kind() != spec.Bool {
		r.fail("%s: want a boolean, got %s", name, v)
	}
	return v.IsTrue()
}

// calls reads the last call; its runs are counted elsewhere.
func (r *reader) calls(v spec.Value) calls {
	if v.Kind() == spec.Null {
		return calls{}
	}
	m := r.members(v, "tool", "args")
	c := calls{tool: r.text("tool", m["tool"]), args: m["args"]}
	if c.args.Kind() != spec.Object {
		r.fail("args: want an object, got %s", c.args)
		return c
	}
	c.canonical = c.args.Canonical()
	return c
}

// namedCalls remembers the calls again, in their order.
func (r *reader) namedCalls(c *cascade, v spec.Value) {
	if v.Kind() != spec.Array || len(v.Items()) > rules.MaxRemembered {
		r.fail("named_calls: want an array of at most %d calls", rules.MaxRemembered)
		return
	}
	for _, item := range v.Items() {
		m := r.members(item, "id", "tool", "on_file")
		c.store(rules.NamedCall{
			ID: r.text("id", m["id"]), Tool: r.text("tool", m["tool"]), OnFile: r.truth("on_file", m["on_file"]),
		})
	}
}
