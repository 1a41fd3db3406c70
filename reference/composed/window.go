package composed

import "slices"

// window keeps the last items of a rule, and how many of them count for each key. [CO-26]
type window struct {
	pattern
	slots   []slot // a ring once it is full
	n       int    // items since it started afresh
	keys    map[digest]*keyed
	leaders leaders // of a pattern that counts the most frequent items
}

// slot is an item in the window.
type slot struct {
	thing
	counted bool
	epoch   int // of its key, when it came
	before  int // the item of its key that was counted before, by its number; of use where the key counts more than one
}

// keyed is what is known of the items of a key.
type keyed struct {
	slots  int // in the window
	count  int // of them, those that count
	latest int // that counted, by its number
	epoch  int // a streak that ends begins another one
	answer digest
}

func newWindow(p pattern) *window { return &window{pattern: p, keys: map[digest]*keyed{}} }

func (w *window) forget() {
	for i := range w.slots {
		delete(w.keys, w.key(&w.slots[i].thing))
	}
	w.slots, w.n = w.slots[:0], 0
	w.leaders.forget()
}

// key returns under what an item is kept: a streak goes on over other answers, to end.
func (w *window) key(t *thing) digest {
	if w.sort == "streak" {
		return t.call
	}
	return t.key
}

func (w *window) slot(n int) *slot { return &w.slots[n%w.last] }

func (w *window) record(t thing) {
	s := slot{thing: t, counted: !t.blank}
	if w.sort == "interleaved" && w.n > 0 && t.equals(&w.slot(w.n-1).thing) {
		s.counted = false // CO-28
	}
	if len(w.slots) < w.last {
		w.slots = append(w.slots, s)
	} else {
		w.leave(w.slot(w.n))
	}
	k := w.keyed(w.key(&t))
	if w.sort == "streak" && (t.blank || k.answer != t.key) { // CO-29
		k.count, k.answer = 0, t.key
		k.epoch++
	}
	k.slots++
	s.epoch = k.epoch
	if s.counted {
		if k.count > 0 {
			w.lead(k.latest, 0) // its latest item is this one now
		}
		s.before, k.latest = k.latest, w.n
		k.count++
		w.lead(k.latest, k.count)
	}
	*w.slot(w.n) = s
	w.n++
}

// leave takes the oldest item out of the counts.
func (w *window) leave(s *slot) {
	key := w.key(&s.thing)
	k := w.keys[key]
	k.slots--
	if s.counted && s.epoch == k.epoch {
		k.count--
		w.lead(k.latest, k.count)
	}
	if k.slots == 0 {
		delete(w.keys, key)
	}
}

// keyed returns what is known of a key, from now on if not before.
func (w *window) keyed(key digest) *keyed {
	k := w.keys[key]
	if k != nil {
		return k
	}
	k = &keyed{}
	w.keys[key] = k
	return k
}

func (w *window) count(now thing) tally {
	switch {
	case w.full && w.n < w.last:
		return tally{} // CO-27
	case w.counts == "highest":
		return w.highest()
	case now.blank:
		return tally{}
	default:
		return w.foresee(now)
	}
}

func (w *window) foresee(now thing) tally {
	k := w.keys[w.key(&now)]
	if k == nil || w.full && w.n < w.last { // CO-27
		return tally{}
	}
	return w.tally(k)
}

// highest returns the tally of the most frequent items; of several, of those whose latest item is the latest. [CO-27]
func (w *window) highest() tally {
	place := w.leaders.latest((w.n-1)%w.last, len(w.slots))
	if place < 0 {
		return tally{}
	}
	return w.tally(w.keys[w.slots[place].key])
}

func (w *window) tally(k *keyed) tally {
	return tally{count: k.count, tool: w.slot(k.latest).tool, evidence: func(n int) []int {
		indices := make([]int, n)
		at := k.latest
		for i := range slices.Backward(indices) {
			indices[i], at = w.slot(at).index, w.slot(at).before
		}
		return indices
	}}
}

// lead notes a count at the place of the latest item that has it.
func (w *window) lead(n, count int) {
	if w.counts == "highest" {
		w.leaders.set(n%w.last, count)
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

// find returns the last place up to one that has the highest count, of those below a node: so many from a first one on;
// -1 where none has.
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
