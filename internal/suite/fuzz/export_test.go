package fuzz

import "context"

// Look runs each check on so many generated subjects. It returns a counterexample for each check that fails. The same
// seed gives the same subjects. The error is one of asking: then nothing is known.
func (h *Fuzzer) Look(ctx context.Context, checks int, seed uint64) ([]Counterexample, error) {
	var found []Counterexample
	for _, check := range h.Checks {
		c, err := h.look(ctx, check, checks, seed)
		if err != nil {
			return found, err
		}
		if c != nil {
			found = append(found, *c)
		}
	}
	return found, nil
}

// look runs one check on generated subjects.
func (h *Fuzzer) look(ctx context.Context, check Check, checks int, seed uint64) (*Counterexample, error) {
	return h.lookAt(ctx, ctx, check, h.drawn(check, checks, seed))
}
