package history

import "container/heap"

// ranking counts how often each key is in the window. It finds the first of the keys that occur often enough, at a cost
// that hardly grows with their number: the most frequent key; of equally frequent keys, the key with the latest call.
type ranking[K comparable] struct { // HI-24
	standings map[K]*standing
	order     order     // of those that occur often enough
	spare     *standing // of a key that has left, if nobody has it again
}

// standing is how a key stands.
type standing struct {
	count  int
	latest int // number of its latest call
	above  int // the key is in the order while its count is above this
	place  int // in the order
}

func newRanking[K comparable]() ranking[K] { return ranking[K]{standings: map[K]*standing{}} }

// first returns the standing of the first key; the zero standing if no key is in the order.
func (r *ranking[K]) first() standing {
	if len(r.order) == 0 {
		return standing{}
	}
	return *r.order[0]
}

// add counts a call with this key. The key is in the order while its count is above the given count. It returns the
// number of the key's previous call, if there is one.
func (r *ranking[K]) add(key K, number, above int) (before int) {
	s := r.standings[key]
	if s == nil {
		s = r.unused()
		*s = standing{above: above}
		r.standings[key] = s
	}
	before = s.latest
	s.count++
	s.latest = number
	switch {
	case s.count == s.above+1:
		heap.Push(&r.order, s)
	case s.count > s.above:
		heap.Fix(&r.order, s.place)
	}
	return before
}

// remove takes back what the oldest call was counted for.
func (r *ranking[K]) remove(key K) {
	s := r.standings[key]
	s.count--
	switch {
	case s.count > s.above:
		heap.Fix(&r.order, s.place)
	case s.count == s.above:
		heap.Remove(&r.order, s.place)
	}
	if s.count == 0 {
		delete(r.standings, key)
		r.spare = s
	}
}

// unused returns memory for a standing: mostly the memory of the key that has just left.
func (r *ranking[K]) unused() *standing {
	if r.spare == nil {
		return new(standing)
	}
	s := r.spare
	r.spare = nil
	return s
}

// order is a heap of standings, the first key's at the top.
type order []*standing

func (o order) Len() int { return len(o) }

func (o order) Less(i, j int) bool {
	return o[i].count > o[j].count || o[i].count == o[j].count && o[i].latest > o[j].latest
}

func (o order) Swap(i, j int) {
	o[i], o[j] = o[j], o[i]
	o[i].place, o[j].place = i, j
}

func (o *order) Push(s any) {
	s.(*standing).place = len(*o)
	*o = append(*o, s.(*standing))
}

func (o *order) Pop() any {
	last := len(*o) - 1
	s := (*o)[last]
	*o = (*o)[:last]
	return s
}
