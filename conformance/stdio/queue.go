package stdio

// queue holds calls in the order in which they were sent. The zero queue is empty.
type queue struct {
	calls []*call
	first int // index of the oldest; what is before it was taken
}

func (q *queue) len() int { return len(q.calls) - q.first }

func (q *queue) push(c *call) {
	if len(q.calls) == cap(q.calls) && q.first > len(q.calls)/2 {
		n := copy(q.calls, q.calls[q.first:])
		clear(q.calls[n:])
		q.calls, q.first = q.calls[:n], 0
	}
	q.calls = append(q.calls, c)
}

// oldest returns nil where the queue is empty.
func (q *queue) oldest() *call {
	if q.len() == 0 {
		return nil
	}
	return q.calls[q.first]
}

// pop takes the oldest out; nil where the queue is empty.
func (q *queue) pop() *call {
	c := q.oldest()
	if c == nil {
		return nil
	}
	q.calls[q.first] = nil
	q.first++
	if q.len() == 0 {
		q.calls, q.first = q.calls[:0], 0
	}
	return c
}
