package composed

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// judge is the rule's verdict at the current item.
func (s *state) judge(current item) spec.Verdict { // CO-32
	if s.stays.Loop {
		return s.stays // CO-36
	}
	counted, period := s.counted(current)
	count := len(counted) / max(period, 1) // CO-31: of a cycle, laps
	previous := s.previous
	s.previous = count // CO-34

	reached := s.reached(count)
	if reached == nil || s.silent(current, counted[len(counted)-period:]) {
		return spec.Verdict{}
	}
	if reached.Speaks == "once" && previous >= reached.At { // CO-33
		return spec.Verdict{} // CO-34
	}
	v := spec.Verdict{ // CO-37
		Loop: true, Kind: spec.VerdictKind(s.Pattern.Sort), Count: count, Severity: reached.Severity,
		Rule: s.Name, Rung: reached.Name, Period: period, Evidence: evidence(counted),
	}
	switch reached.Speaks {
	case "restart":
		s.items, s.previous = nil, 0 // CO-35
	case "stays":
		s.stays = v // CO-36
	}
	return v
}

// reached returns the highest rung that a count reaches; nil if it reaches no rung.
func (r Rule) reached(count int) *Rung { // CO-32
	for i := range slices.Backward(r.Rungs) {
		if count >= r.Rungs[i].At {
			return &r.Rungs[i]
		}
	}
	return nil
}

// silent reports whether the current call is muted or, for a cycle, every call of the latest lap.
func (r Rule) silent(current item, lap []item) bool { // CO-22
	if len(lap) == 0 {
		return r.Tools.Silence(current.first)
	}
	return !slices.ContainsFunc(lap, func(it item) bool { return !r.Tools.Silence(it.first) })
}

// evidence returns the indices of the counted items' first events, at most the latest 100.
func evidence(counted []item) []int { // CO-38
	var indices []int
	for _, it := range counted[max(0, len(counted)-spec.MaxEvidence):] {
		indices = append(indices, it.first.Index)
	}
	slices.Sort(indices) // CO-38
	return indices
}
