package composed

import "github.com/loopstone/loopstone/reference/composed"

// window keeps the last items of a rule, and how many of them count together. An item that counts no more, since it is
// blank or its streak has ended, keeps its place and nothing else.
type window struct { // CO-26
	composed.Pattern
	slots  []slot // a ring once it is full
	n      int    // items since it started afresh
	groups map[digest]*group
	spare  []*group // that have ended, to be used again
}

// slot is an item in the window, by the group that it counts with.
type slot struct {
	of    *group // nil if the item is blank
	epoch int    // of the group, when the item came
}

// counts reports whether the group of an item goes on.
func (s slot) counts() bool { return s.of != nil && s.epoch == s.of.epoch }

// group is equal items of the window, at least one.
type group struct {
	call, key digest // of each item
	count     int
	epoch     int // how many groups this was before
	trail     trail
}

func newWindow(p composed.Pattern) *window { return &window{Pattern: p, groups: map[digest]*group{}} }

func (w *window) forget() {
	for _, g := range w.groups {
		w.end(g)
	}
	w.slots, w.n = w.slots[:0], 0
}

// name returns under what an item finds its group: a streak goes on over other answers, to end.
func (w *window) name(call, key digest) digest {
	if w.Sort == "streak" {
		return call
	}
	return key
}

func (w *window) slot(n int) *slot { return &w.slots[n%w.Last] }

func (w *window) record(t thing) {
	if len(w.slots) < w.Last {
		w.slots = append(w.slots, slot{})
	} else {
		w.leave(w.slot(w.n))
	}
	*w.slot(w.n) = w.place(&t)
	w.n++
}

// place adds an item to its group.
func (w *window) place(t *thing) slot {
	g := w.groups[w.name(t.call, t.key)]
	if g != nil && w.Sort == "streak" && (t.blank || g.key != t.key) { // CO-29
		w.end(g)
		g = nil
	}
	if t.blank {
		return slot{}
	}
	if g == nil {
		g = w.begin(t.call, t.key)
	}
	g.trail.add(t.index)
	g.count++
	return slot{g, g.epoch}
}

// leave takes the oldest item out of its group.
func (w *window) leave(s *slot) {
	if !s.counts() {
		return
	}
	if s.of.count--; s.of.count == 0 {
		w.end(s.of)
	}
}

// begin returns a group without items.
func (w *window) begin(call, key digest) *group {
	g := &group{}
	if n := len(w.spare); n > 0 {
		g, w.spare = w.spare[n-1], w.spare[:n-1]
	}
	g.call, g.key = call, key
	w.groups[w.name(call, key)] = g
	return g
}

// end lets none of a group's items count.
func (w *window) end(g *group) {
	delete(w.groups, w.name(g.call, g.key))
	g.trail.forget()
	*g = group{epoch: g.epoch + 1, trail: g.trail}
	w.spare = append(w.spare, g)
}

func (w *window) count(now thing) tally {
	switch {
	case w.Full && w.n < w.Last:
		return tally{} // CO-27
	case w.Highest:
		return w.highest()
	case now.blank:
		return tally{}
	default:
		return w.slot(w.n - 1).of.tally()
	}
}

func (w *window) countBefore(now thing) tally {
	g := w.groups[w.name(now.call, now.key)]
	if g == nil || w.Full && w.n < w.Last { // CO-27
		return tally{}
	}
	return g.tally()
}

// highest returns the tally of the most frequent items; of several equally frequent groups, the group with the latest
// item.
func (w *window) highest() (most tally) { // CO-27
	for n := w.n - 1; n >= w.n-len(w.slots); n-- {
		if s := w.slot(n); s.counts() && s.of.count > most.count {
			most = s.of.tally()
		}
	}
	return most
}

func (g *group) tally() tally { return tally{count: g.count, trail: &g.trail} }
