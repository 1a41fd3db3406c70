package fuzz

import "slices"

// mergeSessions gives a step, or all steps, to an earlier session.
func (sh *shrinker) mergeSessions() bool {
	for i, step := range sh.best.Steps {
		if step.Session == 0 {
			continue
		}
		steps := slices.Clone(sh.best.Steps)
		steps[i].Session--
		if sh.accept(sh.withSteps(steps)) {
			return true
		}
	}
	all := slices.Clone(sh.best.Steps)
	for i := range all {
		all[i].Session = 0
	}
	return sh.accept(sh.withSteps(all))
}

// swapSessions exchanges the numbers of two sessions, so that the one that begins is the first.
func (sh *shrinker) swapSessions() bool {
	last := 0
	for _, step := range sh.best.Steps {
		last = max(last, step.Session)
	}
	for one := range last + 1 {
		for other := one + 1; other <= last; other++ {
			steps := slices.Clone(sh.best.Steps)
			for i := range steps {
				switch steps[i].Session {
				case one:
					steps[i].Session = other
				case other:
					steps[i].Session = one
				}
			}
			if sh.accept(sh.withSteps(steps)) {
				return true
			}
		}
	}
	return false
}
