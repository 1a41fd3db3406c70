package composed

import "slices"

// counted returns the items that the pattern counts at the current item, in the order in which they were recorded. For
// a cycle they are the items of its laps, and period is the length of a lap; otherwise period is 1.
func (s *state) counted(current item) (counted []item, period int) {
	window := s.items[max(0, len(s.items)-s.Pattern.Last):] // CO-26
	switch s.Pattern.Sort {
	case "run":
		return s.run(current), 1
	case "among":
		return s.among(window, current), 1
	case "streak":
		return latest(only(window, current.hasCallOf)), 1 // CO-29
	default:
		return s.cycle(current)
	}
}

func (s *state) run(current item) []item { // CO-25
	counted := latest(s.items)
	if len(counted) == 0 || !counted[0].hasCallOf(current) { // CO-30: a call that is not yet recorded may differ
		return nil
	}
	return counted
}

func (s *state) among(window []item, current item) (counted []item) { // CO-26
	if s.Pattern.Full && len(window) < s.Pattern.Last {
		return nil // CO-28
	}
	if !s.Pattern.Highest {
		return only(window, current.equals)
	}
	for _, it := range slices.Backward(window) { // CO-27: of groups of one size, the first one found has the latest item
		if group := only(window, it.equals); len(group) > len(counted) {
			counted = group
		}
	}
	return counted
}

// only returns the items for which wanted is true.
func only(items []item, wanted func(item) bool) (found []item) {
	for _, it := range items {
		if wanted(it) {
			found = append(found, it)
		}
	}
	return found
}

// latest returns the items at the end of the list that equal the last item; none if that item is blank.
func latest(items []item) []item {
	first := len(items)
	for first > 0 && items[first-1].equals(items[len(items)-1]) {
		first--
	}
	return items[first:]
}

// cycle tries every period. Of several periods with the most laps it takes the shortest.
func (s *state) cycle(current item) (counted []item, period int) { // CO-31
	most, period := 1, 1
	for p := s.Pattern.From; p <= s.Pattern.To && p <= len(s.items); p++ {
		items := s.items
		if s.JudgesBefore {
			items = withCall(items, current, p)
		}
		if laps := s.laps(items, p); laps > most { // CO-31: a lap that occurs once is no cycle
			most, period, counted = laps, p, items[len(items)-laps*p:]
		}
	}
	return counted, period
}

// withCall appends the current call to the items, with the answer of the item p places before it.
func withCall(items []item, current item, p int) []item { // CO-30
	c := current.calls[0]
	c.answer = items[len(items)-p].calls[0].answer
	return append(slices.Clip(items), item{calls: []call{c}, first: current.first})
}

// laps returns how many times in a row the last p items occur at the end of the items.
func (s *state) laps(items []item, p int) (laps int) { // CO-31
	lap := items[len(items)-p:]
	if p > 1 && s.isUniform(lap) {
		return 0
	}
	for len(items) >= p && slices.EqualFunc(items[len(items)-p:], lap, item.equals) {
		items = items[:len(items)-p]
		laps++
	}
	return laps
}

// isUniform reports whether the items of a lap are all equal or, with `varied`, whether their calls are all equal.
func (s *state) isUniform(lap []item) bool { // CO-31
	if s.Pattern.Varied {
		return len(only(lap, lap[0].hasCallOf)) == len(lap)
	}
	return len(only(lap, lap[0].equals)) == len(lap)
}
