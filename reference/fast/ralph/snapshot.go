package ralph

import (
	"github.com/loopstone/loopstone/reference/fast"
	"github.com/loopstone/loopstone/spec"
)

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
	fresh := &detector{config: d.config}
	for _, item := range state.Get("outputs").Items() {
		if text := fast.Text(item); text != "" {
			fresh.store(output{[]rune(text), fast.Restored})
		}
	}
	if err := fast.CheckRead(state, fresh); err != nil {
		return err
	}
	*d = *fresh
	return nil
}
