package composed

import (
	"slices"

	"github.com/loopstone/loopstone/reference/composed"
)

// window keeps the last items of a rule, and how many of them count for each key.
type window struct { // CO-26
	composed.Pattern
	slots   []slot // a ring once it is full
	n       int    // items since it started afresh
	keys    map[digest]*keyed
	spare   []*keyed // of keys that have left, to be used again
	leaders leaders  // of a pattern that counts the most frequent items
}

// slot is an item in the window.
type slot struct {
	thing
	of    *keyed
	epoch int // of its key, when it came
}

// keyed is what the window knows of the items of a key.
type keyed struct {
	key    digest
	slots  int // in the window
	count  int // of them, those that count
	latest int // that counted, by its number
	epoch  int // a streak that ends begins another one
	answer digest
	trail  trail // of those that count
}

func newWindow(p composed.Pattern) *window { return &window{Pattern: p, keys: map[digest]*keyed{}} }

func (w *window) forget() {
	for i := range w.slots {
		w.drop(w.slots[i].of)
	}
	w.slots, w.n = w.slots[:0], 0
	w.leaders.forget()
}

// key returns under what an item is kept: a streak goes on over other answers, to end.
func (w *window) key(t *thing) digest {
	if w.Sort == "streak" {
		return t.call
	}
	return t.key
}

func (w *window) slot(n int) *slot { return &w.slots[n%w.Last] }

func (w *window) record(t thing) {
	if len(w.slots) < w.Last {
		w.slots = append(w.slots, slot{})
	} else {
		w.leave(w.slot(w.n))
	}
	k := w.keyed(&t)
	k.slots++
	if w.Sort == "streak" && (t.blank || k.answer != t.key) { // CO-29
		k.count, k.answer = 0, t.key
		k.epoch++
	}
	if !t.blank {
		k.trail.add(t.index)
		w.add(k)
	}
	*w.slot(w.n) = slot{t, k, k.epoch}
	w.n++
}

// add counts one more item of a key, the latest item.
func (w *window) add(k *keyed) {
	if k.count > 0 {
		w.lead(k.latest, 0) // its latest item is this one now
	}
	k.latest = w.n
	k.count++
	w.lead(k.latest, k.count)
}

// leave takes the oldest item out of the counts.
func (w *window) leave(s *slot) {
	k := s.of
	if !s.blank && s.epoch == k.epoch {
		k.count--
		w.lead(k.latest, k.count)
	}
	w.drop(k)
}

// drop notes that an item of a key has left the window.
func (w *window) drop(k *keyed) {
	if k.slots--; k.slots > 0 {
		return
	}
	delete(w.keys, k.key)
	k.trail.forget()
	*k = keyed{trail: k.trail}
	w.spare = append(w.spare, k)
}

// keyed returns what is known of the key of an item, from now on if not before.
func (w *window) keyed(t *thing) *keyed {
	key := w.key(t)
	k := w.keys[key]
	if k != nil {
		return k
	}
	if n := len(w.spare); n > 0 {
		k, w.spare = w.spare[n-1], w.spare[:n-1]
	} else {
		k = &keyed{}
	}
	k.key = key
	w.keys[key] = k
	return k
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

func (w *window) foresee(now thing) tally {
	k := w.keys[w.key(&now)]
	if k == nil || w.Full && w.n < w.Last { // CO-27
		return tally{}
	}
	return k.tally()
}

// highest returns the tally of the most frequent items; of several equally frequent groups, the group with the latest
// item.
func (w *window) highest() tally { // CO-27
	place := w.leaders.latest((w.n-1)%w.Last, len(w.slots))
	if place < 0 {
		return tally{}
	}
	return w.slots[place].of.tally()
}

func (k *keyed) tally() tally { return tally{count: k.count, trail: &k.trail} }

// lead notes a count at the place of the latest item that has it.
func (w *window) lead(n, count int) {
	if w.Highest {
		w.leaders.set(n%w.Last, count)
	}
}

// leaders finds the highest count of a window, and the latest place that has it, without looking at all of them: a tree
// whose every node has the highest count below it.
type leaders struct {
	size int // leaves, a power of two; 0 while there are none
	tree []int
}

func (l *leaders) forget() { *l = leaders{} }

func (l *leaders) set(place, count int) {
	for place >= l.size {
		l.grow()
	}
	i := l.size + place
	for l.tree[i] = count; i > 1; i /= 2 {
		l.tree[i/2] = max(l.tree[i], l.tree[i^1])
	}
}

// grow doubles the leaves.
func (l *leaders) grow() {
	leaves := slices.Clone(l.tree[l.size:])
	l.size = max(1, 2*l.size)
	l.tree = make([]int, 2*l.size)
	for place, count := range leaves {
		l.set(place, count)
	}
}

// latest returns the place with the highest count that is met first from the newest place backwards, around the ring;
// -1 where there is none.
func (l *leaders) latest(newest, places int) int {
	if l.size == 0 {
		return -1
	}
	if place := l.find(1, 0, l.size, newest); place >= 0 {
		return place
	}
	return l.find(1, 0, l.size, places)
}

// find returns, among the places below a node, the last place up to a limit that has the highest count; -1 if none has
// it.
func (l *leaders) find(node, first, places, upTo int) int {
	switch {
	case first > upTo || l.tree[node] != l.tree[1]:
		return -1
	case places == 1:
		return first
	}
	half := places / 2
	if place := l.find(2*node+1, first+half, half, upTo); place >= 0 {
		return place
	}
	return l.find(2*node, first, half, upTo)
}
