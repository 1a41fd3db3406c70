package signature

import (
	"github.com/loopstone/loopstone/reference/fast"
	"github.com/loopstone/loopstone/spec"
)

// Snapshot implements [spec.Snapshotter].
func (d *detector) Snapshot() spec.Value { return d.earlier.snapshot() } // SG-34

// Restore implements [spec.Snapshotter].
func (d *detector) Restore(state spec.Value) error { // SG-34
	fresh := newDetector(d.Config)
	fresh.earlier.read(state)
	if err := fast.CheckRead(state, fresh); err != nil {
		return err
	}
	*d = *fresh
	return nil
}

// snapshot is {"signatures": […]}, the oldest first.
func (r *recent) snapshot() spec.Value {
	list := make([]string, len(r.latest))
	for i := range list {
		list[i] = r.latest[(r.oldest+i)%len(r.latest)].signature
	}
	return spec.ObjectValue(spec.Member{Name: "signatures", Value: spec.StringsValue(list)})
}

func (r *recent) read(state spec.Value) {
	for _, item := range state.Get("signatures").Items() {
		r.store(fast.Text(item), fast.Restored)
	}
}

// snapshot is {"signature": "…", "run": n}; an empty signature and 0 before any output.
func (r *run) snapshot() spec.Value {
	return spec.ObjectValue(
		spec.Member{Name: "signature", Value: spec.StringValue(r.signature)},
		spec.Member{Name: "run", Value: spec.IntValue(r.length)},
	)
}

func (r *run) read(state spec.Value) {
	if r.length = min(fast.Count(state.Get("run")), r.limit); r.length > 0 {
		r.signature = fast.Text(state.Get("signature"))
	}
}
