package signature

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// recent is the code reading's tally: equal signatures among the latest ones count, wherever they stand.
type recent struct {
	limit  int            // how many are looked at
	latest []stored       // a ring once it is full
	oldest int            // where the ring begins
	copies map[string]int // how often each signature stands in latest
	log    *spec.ClauseLog
}

// stored is the signature of an earlier output.
type stored struct {
	signature string
	index     int // of the event; restoredIndex where it was observed before a restore
}

const restoredIndex = -1

func newRecent(limit int) *recent { return &recent{limit: limit, copies: map[string]int{}} }

func (r *recent) count(signature string) int { // SG-15
	r.log.Apply("SG-15")
	return r.copies[signature] + 1
}

func (r *recent) store(signature string, index int) { // SG-16
	r.log.Apply("SG-16")
	r.copies[signature]++
	entry := stored{signature, index}
	if len(r.latest) < r.limit {
		r.latest = append(r.latest, entry)
		return
	}
	r.forget(r.latest[r.oldest].signature)
	r.latest[r.oldest] = entry
	r.oldest = (r.oldest + 1) % r.limit
}

func (r *recent) forget(signature string) {
	if r.copies[signature]--; r.copies[signature] == 0 {
		delete(r.copies, signature)
	}
}

func (r *recent) evidence(signature string, n int) []int {
	var indices []int
	for i := len(r.latest) - 1; i >= 0 && len(indices) < n; i-- {
		entry := r.latest[(r.oldest+i)%len(r.latest)]
		if entry.signature == signature && entry.index != restoredIndex {
			indices = append(indices, entry.index)
		}
	}
	slices.Reverse(indices)
	return indices
}

func (r *recent) reset() { r.latest, r.oldest, r.copies = nil, 0, map[string]int{} }

func (r *recent) logClauses(log *spec.ClauseLog) { r.log = log }

// snapshot is {"signatures": […]}, the oldest first.
func (r *recent) snapshot() spec.Value {
	list := make([]string, len(r.latest))
	for i := range list {
		list[i] = r.latest[(r.oldest+i)%len(r.latest)].signature
	}
	return spec.ObjectValue(spec.Member{Name: "signatures", Value: spec.StringsValue(list)})
}

func (r *recent) restore(state spec.Value) error {
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
	fresh.log = r.log
	*r = *fresh
	return nil
}

// wantMembers returns a fault where the state is no object of exactly these members.
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
