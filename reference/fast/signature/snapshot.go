package signature

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// Snapshot implements [spec.Snapshotter].
func (d *detector) Snapshot() spec.Value { return d.earlier.snapshot() } // SG-34

// Restore implements [spec.Snapshotter].
func (d *detector) Restore(state spec.Value) error { return d.earlier.restore(state) } // SG-34

// snapshot is {"signatures": […]}, the oldest first.
func (r *recent) snapshot() spec.Value {
	list := make([]string, len(r.latest))
	for i := range list {
		list[i] = r.latest[(r.oldest+i)%len(r.latest)].signature
	}
	return spec.ObjectValue(spec.Member{Name: "signatures", Value: spec.StringsValue(list)})
}

func (r *recent) restore(state spec.Value) error { // SG-34
	if err := wantMembers(state, "signatures"); err != nil {
		return err
	}
	list := state.Get("signatures")
	if list.Kind() != spec.Array {
		return spec.BadState("signatures: want array, got %s", list.Kind())
	}
	if len(list.Items()) > r.limit {
		return spec.BadState("%d signatures, the rule looks at %d", len(list.Items()), r.limit)
	}
	fresh := newRecent(r.limit)
	for i, item := range list.Items() {
		signature, ok := item.Str()
		if !ok {
			return spec.BadState("signatures/%d: want string, got %s", i, item.Kind())
		}
		fresh.store(signature, restoredIndex)
	}
	*r = *fresh
	return nil
}

// snapshot is {"signature": "…", "run": n}; an empty signature and 0 before any output.
func (r *run) snapshot() spec.Value {
	return spec.ObjectValue(
		spec.Member{Name: "signature", Value: spec.StringValue(r.signature)},
		spec.Member{Name: "run", Value: spec.IntValue(r.length)},
	)
}

func (r *run) restore(state spec.Value) error { // SG-34
	if err := wantMembers(state, "signature", "run"); err != nil {
		return err
	}
	signature, ok := state.Get("signature").Str()
	if !ok {
		return spec.BadState("signature: want string, got %s", state.Get("signature").Kind())
	}
	length, ok := state.Get("run").Int()
	if !ok || length < 0 || length > r.limit {
		return spec.BadState("run: want an integer from 0 to %d, got %s", r.limit, state.Get("run"))
	}
	if length == 0 && signature != "" {
		return spec.BadState("run: 0, but there is a signature")
	}
	*r = run{limit: r.limit, signature: signature, length: length}
	return nil
}

// wantMembers returns a fault if the state is not an object of exactly these members.
func wantMembers(state spec.Value, names ...string) error {
	for _, m := range state.Members() {
		if !slices.Contains(names, m.Name) {
			return spec.BadState("unknown member %s", m.Name)
		}
	}
	if len(state.Members()) != len(names) {
		return spec.BadState("want an object of the members %v, got %s", names, state.Kind())
	}
	return nil
}
