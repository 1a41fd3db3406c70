package ralph

import "github.com/loopstone/loopstone/spec"

// Snapshot implements [spec.Snapshotter]: {"outputs": […]}, the oldest first.
func (d *detector) Snapshot() spec.Value { // RA-11
	texts := make([]string, len(d.outputs))
	for i, o := range d.outputs {
		texts[i] = string(o.text)
	}
	return spec.ObjectValue(spec.Member{Name: "outputs", Value: spec.StringsValue(texts)})
}

// Restore implements [spec.Snapshotter].
func (d *detector) Restore(state spec.Value) error { // RA-11
	list := state.Get("outputs")
	if len(state.Members()) != 1 || list.Kind() != spec.Array {
		return spec.BadState("want an object whose only member is an array outputs, got %s", state)
	}
	if len(list.Items()) > d.config.Window {
		return spec.BadState("%d outputs, the window holds %d", len(list.Items()), d.config.Window)
	}
	var outputs []output
	for i, item := range list.Items() {
		text, ok := item.Str()
		if !ok || text == "" {
			return spec.BadState("outputs/%d: want a string that is not empty, got %s", i, item)
		}
		outputs = append(outputs, output{[]rune(text), restoredIndex})
	}
	d.outputs = outputs
	return nil
}
