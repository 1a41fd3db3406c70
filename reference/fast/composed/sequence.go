package composed

import (
	"github.com/loopstone/loopstone/reference/composed"
	"github.com/loopstone/loopstone/spec"
)

// sequence is what a pattern keeps of a rule's items. The cost of an item does not grow with the window, unless the
// most frequent items count.
type sequence interface {
	record(thing)
	count(now thing) tally       // of the items, the current one being the last
	countBefore(now thing) tally // of the items before a call that is yet to be recorded
	forget()

	kept() (items []thing, counts []int) // the oldest first, and what does not follow from them
	recount(counts []spec.Value)         // takes counts that were kept, where items that were recorded again allow them
}

// isWindow reports whether a rule keeps its items in a window.
func isWindow(r composed.Rule) bool { return r.Pattern.Sort == "among" || r.Pattern.Sort == "streak" }

func newSequence(r composed.Rule) sequence {
	switch r.Pattern.Sort {
	case "run":
		return runs{newCycle(composed.Pattern{From: 1, To: 1})}
	case "cycle":
		return newCycle(r.Pattern)
	default:
		return newWindow(r.Pattern)
	}
}

// runs is the cycle of period 1, of which one lap counts, too: the latest items that equal one another.
type runs struct{ *cycle } // CO-25

func (r runs) count(thing) tally {
	if r.n == 0 || r.ago(1).blank {
		return tally{}
	}
	return tally{count: r.repeated[1] + 1, trail: &r.trail}
}

func (r runs) countBefore(now thing) tally { // CO-30
	if r.n == 0 || r.ago(1).call != now.call {
		return tally{}
	}
	return r.count(now)
}

// cycle counts, for each period, how many of the latest items equal the item one period before.
type cycle struct { // CO-31
	from, to int
	varied   bool
	ring     []thing // the latest items, as many as the longest period has
	n        int     // items since it started afresh
	repeated []int   // by period
	alike    int     // how many of the latest items are equal, or have equal calls if laps must be varied
	trail    trail
	lap      []thing // kept to be written over
}

func newCycle(p composed.Pattern) *cycle {
	return &cycle{from: p.From, to: p.To, varied: p.Varied, ring: make([]thing, p.To), repeated: make([]int, p.To+1)}
}

func (c *cycle) forget() {
	c.n = 0
	clear(c.repeated)
}

// ago returns the item n items ago; the latest item is 1 ago. It assumes that the ring has this item.
func (c *cycle) ago(p int) *thing { return &c.ring[(c.n-p)%len(c.ring)] }

func (c *cycle) record(t thing) {
	repeats := false
	for p := c.from; p <= c.to && p <= c.n; p++ {
		if t.equals(c.ago(p)) {
			c.repeated[p]++
			repeats = true
		} else {
			c.repeated[p] = 0
		}
	}
	c.alike = c.alikeWith(&t)
	c.ring[c.n%len(c.ring)] = t
	c.n++
	c.trail.add(t.index)
	if !repeats {
		c.trail.all.Keep(c.to) // a lap that is repeated later has no more
	}
}

// alikeWith returns how many of the latest items are equal, one further item included.
func (c *cycle) alikeWith(t *thing) int {
	if c.n > 0 && (t.equals(c.ago(1)) || c.varied && t.call == c.ago(1).call) {
		return c.alike + 1
	}
	return 1
}

func (c *cycle) count(thing) tally {
	best := tally{count: 1}
	for p := c.from; p <= c.to; p++ {
		best.improve(p, c.repeated[p], c.alike)
	}
	c.lap = c.lap[:0]
	for i := 1; i <= best.period; i++ {
		c.lap = append(c.lap, *c.ago(i))
	}
	return best.of(c)
}

func (c *cycle) countBefore(now thing) tally {
	best := tally{count: 1}
	for p := c.from; p <= c.to && p <= c.n; p++ {
		if like := c.ago(p); like.call == now.call && !like.blank { // CO-30
			best.improve(p, c.repeated[p]+1, c.alikeWith(like))
		}
	}
	c.lap = append(c.lap[:0], now)
	for i := 1; i < best.period; i++ {
		c.lap = append(c.lap, *c.ago(i))
	}
	best.withCurrent = true
	return best.of(c)
}

// improve takes another period if it has more laps, unless all items of its lap are equal.
func (n *tally) improve(period, repeated, alike int) { // CO-31
	if laps := repeated/period + 1; laps > n.count && (period == 1 || alike < period) {
		n.count, n.period = laps, period
	}
}

// of returns the complete tally; an empty tally if no period was taken.
func (n tally) of(c *cycle) tally {
	if n.period == 0 {
		return tally{}
	}
	n.lap, n.trail = c.lap, &c.trail
	return n
}
