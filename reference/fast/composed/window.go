package composed

import "github.com/loopstone/loopstone/reference/composed"

// window keeps the last items of a rule, and how many of them count together. An item that counts no more, since it is
// blank or its streak has ended, keeps its place and nothing else.
type window struct { // CO-26
	composed.Pattern
	slots  []int32 // by item, the place of its group in all; a ring once it is full
	n      int     // items since it started afresh
	all    []*group
	groups map[digest]*group // that have not ended
	spare  []*group          // that have ended, to be used again
}

// ofBlanks is the place of the group of blank items, which is nil.
const ofBlanks = 0

// group is equal items of the window that count together, until their streak ends.
type group struct {
	call, key digest // of each item
	place     int32  // in all
	ended     bool
	items     int // in the window
	trail     trail
}

// counts reports whether the items of a group count.
func (g *group) counts() bool { return g != nil && !g.ended }

func newWindow(p composed.Pattern) *window {
	return &window{Pattern: p, all: []*group{ofBlanks: nil}, groups: map[digest]*group{}}
}

func (w *window) forget() {
	for _, place := range w.slots {
		w.leave(w.all[place])
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

// group returns the group of the nth item, nil if the item is blank.
func (w *window) group(n int) *group { return w.all[w.slots[n%w.Last]] }

func (w *window) record(t thing) {
	if len(w.slots) < w.Last {
		w.slots = append(w.slots, ofBlanks)
	} else {
		w.leave(w.group(w.n))
	}
	w.slots[w.n%w.Last] = w.add(&t)
	w.n++
}

// add adds an item to its group and returns the group's place.
func (w *window) add(t *thing) int32 {
	g := w.groups[w.name(t.call, t.key)]
	if g != nil && w.Sort == "streak" && (t.blank || g.key != t.key) { // CO-29
		w.end(g)
		g = nil
	}
	if t.blank {
		return ofBlanks
	}
	if g == nil {
		g = w.begin(t.call, t.key)
	}
	g.trail.add(t.index)
	g.items++
	return g.place
}

// leave takes the oldest item out of its group.
func (w *window) leave(g *group) {
	if g == nil {
		return
	}
	if g.items--; g.items > 0 {
		return
	}
	if !g.ended {
		w.end(g)
	}
	g.trail.forget()
	w.spare = append(w.spare, g)
}

// begin returns a group without items.
func (w *window) begin(call, key digest) *group {
	if len(w.spare) == 0 {
		g := &group{place: int32(len(w.all))}
		w.all, w.spare = append(w.all, g), append(w.spare, g)
	}
	n := len(w.spare) - 1
	g := w.spare[n]
	w.spare = w.spare[:n]
	*g = group{call: call, key: key, place: g.place, trail: g.trail}
	w.groups[w.name(call, key)] = g
	return g
}

// end lets none of a group's items count.
func (w *window) end(g *group) {
	delete(w.groups, w.name(g.call, g.key))
	g.ended = true
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
		return w.group(w.n - 1).tally()
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
		if g := w.group(n); g.counts() && g.items > most.count {
			most = g.tally()
		}
	}
	return most
}

func (g *group) tally() tally { return tally{count: g.items, trail: &g.trail} }
