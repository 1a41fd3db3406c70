package composed

import "slices"

// counted returns the items that the pattern counts for the current item. The current item is the latest item or, if
// the rule judges before, a call that is not recorded yet. The period is 0 if the pattern is not a cycle.
func (s *state) counted(current item) (counted []item, period int) {
	switch s.Pattern.Sort {
	case "run":
		return s.run(current), 0
	case "among":
		return s.among(current), 0
	case "streak":
		return s.streak(current), 0
	default:
		return s.cycle(current)
	}
}

// run returns the latest items that equal one another, if they are of the current call.
func (s *state) run(current item) []item { // CO-25
	n := len(s.items)
	if n == 0 || s.items[n-1].call != current.call { // CO-30
		return nil
	}
	first := n
	for first > 0 && s.items[first-1].equals(s.items[n-1]) {
		first--
	}
	return s.items[first:]
}

// window returns the last items.
func (s *state) window() []item { return s.items[max(0, len(s.items)-s.Pattern.Last):] } // CO-26

// among returns the items of the window that equal the current item or, with highest, the most frequent items.
func (s *state) among(current item) (counted []item) { // CO-26
	window := s.window()
	switch {
	case s.Pattern.Full && len(window) < s.Pattern.Last: // CO-28
		return nil
	case !s.Pattern.Highest:
		return equal(window, current)
	}
	for _, it := range slices.Backward(window) {
		if same := equal(window, it); len(same) > len(counted) { // CO-27
			counted = same
		}
	}
	return counted
}

// equal returns the items that equal the given item.
func equal(items []item, one item) (found []item) {
	for _, it := range items {
		if it.equals(one) {
			found = append(found, it)
		}
	}
	return found
}

// streak returns the latest items of the window with the current call and equal answers.
func (s *state) streak(current item) (counted []item) { // CO-29
	for _, it := range s.window() {
		switch {
		case it.call != current.call:
		case it.blank:
			counted = nil
		case len(counted) > 0 && it.equals(counted[0]):
			counted = append(counted, it)
		default:
			counted = []item{it}
		}
	}
	return counted
}

// cycle returns the items of the latest laps of the period with the most laps; of several such periods, the shortest.
func (s *state) cycle(current item) (counted []item, period int) { // CO-31
	most := 1
	for p := s.Pattern.From; p <= s.Pattern.To; p++ {
		items := s.items
		if s.JudgesBefore { // CO-30: as though the current call had the answer of the item one period before
			if len(items) < p || items[len(items)-p].call != current.call {
				continue
			}
			items = append(slices.Clip(items), items[len(items)-p])
			items[len(items)-1].first = current.first
		}
		if laps := s.laps(items, p); laps > most {
			most, period, counted = laps, p, items[len(items)-laps*p:]
		}
	}
	return counted, period
}

// laps returns how many times in a row the last p items occur at the end of the items.
func (s *state) laps(items []item, p int) int { // CO-31
	last := items[max(0, len(items)-p):]
	other := func(it item) bool { return !it.equals(last[0]) && !(s.Pattern.Varied && it.call == last[0].call) }
	if p > 1 && !slices.ContainsFunc(last, other) {
		return 0 // a lap of one item, or with varied of one call, is none
	}
	repeated := 0
	for i := len(items) - 1; i >= p && items[i].equals(items[i-p]); i-- {
		repeated++
	}
	return repeated/p + 1
}
