package crow

// queue holds what the window has of one sort, oldest first. Slots are used again, so that a window of constant size
// costs no allocation; without a bound on the window it grows by doubling.
type queue[T any] struct {
	slots []T // as many as a power of two
	head  int // slot of the oldest item
	size  int
}

// at returns the item with i older ones before it. It is valid until the next push.
func (q *queue[T]) at(i int) *T { return &q.slots[(q.head+i)&(len(q.slots)-1)] }

// last returns the item with i younger ones after it.
func (q *queue[T]) last(i int) *T { return q.at(q.size - 1 - i) }

// push adds an item at the end and returns its slot, which still has the content of an item that was dropped.
func (q *queue[T]) push() *T {
	if q.size == len(q.slots) {
		q.grow()
	}
	q.size++
	return q.last(0)
}

func (q *queue[T]) grow() {
	slots := make([]T, max(8, 2*len(q.slots)))
	n := copy(slots, q.slots[q.head:])
	copy(slots[n:], q.slots[:q.head])
	q.slots, q.head = slots, 0
}

// drop removes the oldest item.
func (q *queue[T]) drop() {
	q.head = (q.head + 1) & (len(q.slots) - 1)
	q.size--
}

func (q *queue[T]) clear() { q.head, q.size = 0, 0 }
