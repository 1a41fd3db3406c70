package signature

import "github.com/loopstone/loopstone/spec"

// run is the text reading's tally: the equal signatures at the end of the window, without another between them.
type run struct {
	limit     int // the window: the run cannot be seen to be longer
	signature string
	length    int // 0 before any output
	trail     spec.Trail
	log       *spec.ClauseLog
}

func (r *run) count(signature string) int { // SG-29, SG-30
	r.log.Apply("SG-29")
	r.log.Apply("SG-30")
	if r.length == 0 || signature != r.signature {
		return 1
	}
	return min(r.length+1, r.limit)
}

func (r *run) store(signature string, index int) {
	r.length = r.count(signature)
	if r.length == 1 {
		r.trail.Reset()
	}
	r.signature = signature
	r.trail.Add(index)
}

func (r *run) evidence(_ string, n int) []int { return r.trail.Last(n) }

func (r *run) reset() { *r = run{limit: r.limit, log: r.log} }

func (r *run) logClauses(log *spec.ClauseLog) { r.log = log }

// snapshot is {"signature": "…", "run": n}; an empty signature and 0 before any output.
func (r *run) snapshot() spec.Value {
	return spec.ObjectValue(
		spec.Member{Name: "signature", Value: spec.StringValue(r.signature)},
		spec.Member{Name: "run", Value: spec.IntValue(r.length)},
	)
}

func (r *run) restore(state spec.Value) error {
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
	*r = run{limit: r.limit, signature: signature, length: length, log: r.log}
	return nil
}
