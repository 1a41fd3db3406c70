package composed

import "github.com/loopstone/loopstone/reference/composed"

// window keeps the last items of a rule, and how many of them count for each key.
type window struct { // CO-26
	composed.Pattern
	slots []slot // a ring once it is full
	n     int    // items since it started afresh
	keys  map[digest]*keyed
	spare []*keyed // of keys that have left, to be used again
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
		k.count++
	}
	*w.slot(w.n) = slot{t, k, k.epoch}
	w.n++
}

// leave takes the oldest item out of the counts.
func (w *window) leave(s *slot) {
	k := s.of
	if !s.blank && s.epoch == k.epoch {
		k.count--
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

func (w *window) countBefore(now thing) tally {
	k := w.keys[w.key(&now)]
	if k == nil || w.Full && w.n < w.Last { // CO-27
		return tally{}
	}
	return k.tally()
}

// highest returns the tally of the most frequent items; of several equally frequent groups, the group with the latest
// item.
func (w *window) highest() (most tally) { // CO-27
	for n := w.n - 1; n >= w.n-len(w.slots); n-- {
		if s := w.slot(n); !s.blank && s.of.count > most.count {
			most = s.of.tally()
		}
	}
	return most
}

func (k *keyed) tally() tally { return tally{count: k.count, trail: &k.trail} }
