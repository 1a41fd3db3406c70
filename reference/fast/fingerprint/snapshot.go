package fingerprint

import (
	"cmp"
	"slices"

	"github.com/loopstone/loopstone/reference/fast"
	rules "github.com/loopstone/loopstone/reference/fingerprint"
	"github.com/loopstone/loopstone/spec"
)

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
func (d *detector) Restore(state spec.Value) error { // FP-44
	fresh := &detector{Config: d.Config}
	fresh.read(state)
	if err := cmp.Or(fast.CheckRead(state, fresh), fresh.fault()); err != nil {
		return err
	}
	*d = *fresh
	return nil
}

// read reads a state; [fast.CheckRead] finds what it reads wrong.
func (d *detector) read(state spec.Value) {
	d.calls.exact, d.calls.fuzzy = fast.Count(state.Get("exact")), fast.Count(state.Get("fuzzy"))
	if last := state.Get("last_call"); d.calls.exact > 0 {
		d.calls.tool, d.calls.args = fast.Text(last.Get("tool")), last.Get("args")
		d.calls.canonical = d.calls.args.Canonical()
	}
	d.tests.count = fast.Count(state.Get("test_failures"))
	d.bash.count = fast.Count(state.Get("bash_failures"))
	d.text.count = fast.Count(state.Get("text_turns"))
	d.bash.failedOnFile = state.Get("failed_on_file").IsTrue()
	d.bash.lastOnFile = state.Get("last_bash_on_file").IsTrue()
	for _, c := range state.Get("named_calls").Items() {
		d.bash.store(rules.NamedCall{
			ID: fast.Text(c.Get("id")), Tool: fast.Text(c.Get("tool")), OnFile: c.Get("on_file").IsTrue(),
		})
	}
	d.lastWarning, _ = state.Get("last_warning_time").Float()
}

// fault returns an error if no trace leads to the state under this configuration.
func (d *detector) fault() error {
	c := &d.calls
	switch {
	case c.fuzzy > d.Window: // FP-48
		return spec.BadState("fuzzy: %d calls in a window of %d", c.fuzzy, d.Window)
	case c.exact > c.fuzzy, c.exact == 0 && c.fuzzy > 0:
		return spec.BadState("exact: %d, but %d have one fingerprint", c.exact, c.fuzzy)
	case c.exact > 0 && c.args.Kind() != spec.Object:
		return spec.BadState("last_call/args: want an object, got %s", c.args)
	case c.exact == 0 && (d.bash.lastOnFile || len(d.bash.recent) > 0):
		return spec.BadState("last_call: none, but calls are remembered")
	case c.tool == rules.Bash && d.bash.lastOnFile != rules.OnFile(c.args):
		return spec.BadState("last_bash_on_file: %t, but the last call is %s", d.bash.lastOnFile, c.args)
	}
	return nil
}
