package composed

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// tally is what a pattern counts at the current item.
type tally struct {
	count   int
	counted []item // at least the latest 100 of the items that are counted; of a cycle, the oldest first
	period  int    // of a cycle: the length of a lap
}

func (s *state) count(current item) tally {
	window := s.Items.Items()
	switch s.Pattern.Sort {
	case "run":
		return s.run(current)
	case "among":
		return s.among(window, &current)
	case "streak":
		return streak(window, &current)
	case "revisit":
		return revisits(s.Items.Last(s.Pattern.Last))
	default:
		return s.cycle(current)
	}
}

func streak(window []item, current *item) tally { // CO-29
	var counted []item
	for i := range slices.Backward(window) {
		it := &window[i]
		if !it.hasCallOf(current) {
			continue
		}
		if it.Blank || len(counted) > 0 && !it.equals(&counted[0]) {
			break
		}
		counted = append(counted, *it)
	}
	slices.Reverse(counted)
	return tally{count: len(counted), counted: counted}
}

func (s *state) among(window []item, current *item) tally { // CO-26
	if s.Pattern.Full && len(window) < s.Pattern.Last {
		return tally{} // CO-28
	}
	window = s.recent(window)
	if s.Pattern.Highest {
		current = mostFrequent(window)
	}
	return tallyOf(window, current.equals)
}

// recent returns the items of a window that are not too old.
func (s *state) recent(window []item) []item { // CO-48
	if s.now == nil {
		return window
	}
	var list []item
	for i, at := range s.Times.Items() {
		if i < len(window) && (at == nil || *s.now-*at < 1000*float64(s.Pattern.Seconds)) {
			list = append(list, window[i])
		}
	}
	return list
}

// tallyOf counts the items of a window that are so.
func tallyOf(window []item, is func(*item) bool) (t tally) { // CO-26
	for i := range slices.Backward(window) {
		if !is(&window[i]) {
			continue
		}
		if t.count++; t.count <= spec.MaxEvidence {
			t.counted = append(t.counted, window[i])
		}
	}
	return t
}

// revisited is how many items before an item are compared with it.
const revisited = 50 // CO-44

// revisits counts the revisits in a window whose last item is the current one.
func revisits(window []item) tally { // CO-44
	if !window[len(window)-1].Revisit {
		return tally{}
	}
	return tallyOf(window, func(it *item) bool { return it.Revisit })
}

// mostFrequent returns an item of the largest group of equal items: of several such groups, the latest item. It returns
// the zero item if all items are blank.
func mostFrequent(window []item) *item { // CO-27
	sizes := map[item]int{}
	most, best := 0, &item{}
	for _, it := range window {
		if !it.Blank {
			sizes[it.compared()]++
		}
	}
	for i, it := range slices.Backward(window) {
		if size := sizes[it.compared()]; size > most && !it.Blank {
			most, best = size, &window[i]
		}
	}
	return best
}

// compared returns what equal items have in common.
func (it item) compared() item { return item{Call: it.Call, Answer: it.Answer} }

// periods returns the shortest and the longest period of a pattern that has periods: run is the cycle of period 1.
func (p Pattern) periods() (from, to int) {
	switch p.Sort {
	case "run":
		return 1, 1
	case "cycle", "periodic":
		return p.From, p.To
	default:
		return 0, 0
	}
}

// record appends an item to the items that the rule remembers.
func (s *state) record(it item) {
	if s.Pattern.Sort == "revisit" {
		it.Revisit = slices.ContainsFunc(s.Items.Last(revisited), func(before item) bool { return it.equals(&before) })
	}
	if _, to := s.Pattern.periods(); to > 0 {
		s.recordRepeats(it)
	}
	s.Items.Add(it)
	if s.Pattern.Seconds > 0 {
		s.Times.Add(s.now)
	}
}

// recordRepeats counts, for each period, how many of the latest items equal the item one period before them. So the
// rule counts a run or laps that are longer than what it keeps. It keeps the items of all periods, and more only if
// they repeat.
func (s *state) recordRepeats(it item) { // CO-25, CO-31
	items := s.Items.Items()
	from, needed := s.Pattern.periods()
	for i, repeats := range s.Repeats {
		period := from + i
		if period <= len(items) && it.equals(&items[len(items)-period]) {
			repeats.Add()
			needed = max(needed, int(repeats)+period)
		} else {
			repeats = 0
		}
		s.Repeats[i] = repeats
	}
	s.Items.Keep(needed - 1)
}

func (s *state) run(current item) tally { // CO-25
	items := s.Items.Items()
	if len(items) == 0 {
		return tally{}
	}
	last := items[len(items)-1]
	if last.Blank || !last.hasCallOf(&current) { // CO-30: a call that is not yet recorded may differ
		return tally{}
	}
	length := int(s.Repeats[0]) + 1
	return tally{count: length, counted: s.Items.Last(length)}
}

// cycle tries every period. Of several periods with the highest count it takes the shortest.
func (s *state) cycle(current item) (most tally) { // CO-31, CO-47
	from, to := s.Pattern.periods()
	for period := from; period <= to && period <= len(s.Items.Items()); period++ {
		repeats, recorded := int(s.Repeats[period-from]), s.Items.Items()
		if s.JudgesBefore {
			repeats, recorded = s.withCall(current, period)
		}
		laps := repeats/period + 1
		count, items := laps, laps*period
		if s.Pattern.Sort == "periodic" { // CO-47
			items = repeats + period
			count = items
		}
		if laps < 2 || count <= most.count { // CO-31: a lap that occurs once is no cycle
			continue
		}
		counted := recorded[max(0, len(recorded)-items):]
		if period == 1 || !s.isUniform(counted) {
			most = tally{count: count, counted: counted, period: period}
		}
	}
	return most
}

// withCall returns the repeats of a period and the items as if the current call were recorded, with the answer of the
// item one period before it.
func (s *state) withCall(current item, period int) (repeats int, recorded []item) { // CO-30
	items := s.Items.Items()
	before := items[len(items)-period]
	current.Answer = before.Answer
	if !current.equals(&before) {
		return 0, items
	}
	return int(s.Repeats[period-s.Pattern.From]) + 1, append(slices.Clip(items), current)
}

// isUniform reports whether the items of laps are all equal or, with `varied`, whether their calls are all equal.
func (s *state) isUniform(laps []item) bool { // CO-31
	alike := laps[0].equals
	if s.Pattern.Varied {
		alike = laps[0].hasCallOf
	}
	for i := range laps {
		if !alike(&laps[i]) {
			return false
		}
	}
	return true
}
