package crow

import (
	"cmp"

	rules "github.com/loopstone/loopstone/reference/crow"
	"github.com/loopstone/loopstone/reference/fast"
	"github.com/loopstone/loopstone/spec"
)

// Snapshot implements [spec.Snapshotter]. It has the events of the window, with the members that the detector looks at,
// and the number of events stored since the last check. All counts of the rules follow from these.
func (d *detector) Snapshot() spec.Value { // CR-59
	events := make([]spec.Value, d.window.size)
	for i := range events {
		events[i] = record(d.window.at(i).event())
	}
	return spec.ObjectValue(
		spec.Member{Name: "since_check", Value: spec.IntValue(d.sinceCheck)},
		spec.Member{Name: "events", Value: spec.ArrayValue(events...)},
	)
}

// record writes an event as the protocol does, without what the detector never looks at.
func record(e spec.Event) spec.Value {
	var members []spec.Member
	add := func(name string, v spec.Value) { members = append(members, spec.Member{Name: name, Value: v}) }
	optional := func(name, text string, has bool) {
		if has {
			add(name, spec.StringValue(text))
		}
	}
	add("type", spec.StringValue(string(e.Type)))
	switch e.Type {
	case spec.ToolCall:
		add("tool", spec.StringValue(e.Tool))
		add("args", e.Args)
		optional("id", e.ID, e.HasID)
	case spec.Message:
		add("role", spec.StringValue(string(e.Role)))
		add("content", spec.StringValue(e.Content))
		if !e.ToolCalls.IsAbsent() {
			add("tool_calls", e.ToolCalls)
		}
	case spec.ToolResult:
		add("content", spec.StringValue(e.Content))
		add("ok", spec.BoolValue(e.OK))
	case spec.ErrorEvent:
		add("message", spec.StringValue(e.Message))
		optional("error_type", e.ErrorType, e.ErrorType != "")
	}
	if e.Type == spec.ToolResult || e.Type == spec.ErrorEvent {
		optional("tool", e.Tool, e.HasTool)
		optional("call", e.Call, e.HasCall)
	}
	return spec.ObjectValue(members...)
}

// Restore implements [spec.Snapshotter]. It stores the events of the state again; these have no place in this session's
// trace, and so no evidence.
func (d *detector) Restore(state spec.Value) error { // CR-59, CR-60
	fresh := newDetector(d.Config)
	fresh.sinceCheck = fast.Count(state.Get("since_check"))
	for _, item := range state.Get("events").Items() {
		if e, err := spec.DecodeEvent(item); err == nil && rules.IsObserved(e) {
			e.Index = fast.Restored
			fresh.store(e)
		}
	}
	if err := cmp.Or(fast.CheckRead(state, fresh), fresh.fault()); err != nil {
		return err
	}
	*d = *fresh
	return nil
}

// fault refuses a number of events that does not fit the checks. While the window is not full, it holds all events, so
// their number tells how many came after the last check.
func (d *detector) fault() error {
	events := d.window.size
	isFull := d.Recent > 0 && events == d.Recent
	if d.sinceCheck < d.CheckEvery && (isFull || events%d.CheckEvery == d.sinceCheck) {
		return nil
	}
	return spec.BadState("since_check: is %d after %d events, but check_every is %d", d.sinceCheck, events, d.CheckEvery)
}
