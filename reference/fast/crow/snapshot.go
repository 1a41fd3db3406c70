package crow

import (
	rules "github.com/loopstone/loopstone/reference/crow"
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
	events, sinceCheck, err := d.read(state)
	if err != nil {
		return err
	}
	d.Reset()
	d.sinceCheck = sinceCheck
	for _, e := range events {
		d.store(e)
	}
	return nil
}

// read returns the content of a state, and refuses a state that no session with this configuration can have written.
func (d *detector) read(state spec.Value) ([]spec.Event, int, error) {
	if state.Kind() != spec.Object || len(state.Members()) != 2 {
		return nil, 0, spec.BadState("want an object with the members since_check and events, got %s", state)
	}
	sinceCheck, ok := state.Get("since_check").Int()
	if !ok || sinceCheck < 0 || sinceCheck >= d.CheckEvery {
		return nil, 0, spec.BadState("since_check: want an integer from 0 to %d, got %s",
			d.CheckEvery-1, state.Get("since_check"))
	}
	list := state.Get("events")
	if list.Kind() != spec.Array {
		return nil, 0, spec.BadState("events: want an array, got %s", list.Kind())
	}
	events, err := readEvents(list.Items())
	if err != nil {
		return nil, 0, err
	}
	return events, sinceCheck, d.checkSize(len(events), sinceCheck)
}

// checkSize refuses a number of events that the window cannot hold, or that does not fit the checks. While the window
// is not full, it holds all events, so their number tells how many came after the last check.
func (d *detector) checkSize(events, sinceCheck int) error {
	if d.Recent > 0 && events > d.Recent {
		return spec.BadState("events: %d of them, but recent is %d", events, d.Recent)
	}
	full := events == d.Recent
	if d.Recent > 0 && full || events%d.CheckEvery == sinceCheck {
		return nil
	}
	return spec.BadState("since_check: is %d after %d events, but check_every is %d", sinceCheck, events, d.CheckEvery)
}

func readEvents(items []spec.Value) ([]spec.Event, error) {
	events := make([]spec.Event, len(items))
	for i, item := range items {
		e, err := spec.DecodeEvent(item)
		if err != nil {
			return nil, spec.BadState("events/%d: %v", i, err)
		}
		if !rules.IsObserved(e) || !record(e).Equal(item) {
			return nil, spec.BadState("events/%d: %s is not as a snapshot writes it", i, item)
		}
		e.Index = beforeRestore
		events[i] = e
	}
	return events, nil
}
