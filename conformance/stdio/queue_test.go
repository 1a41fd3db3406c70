package stdio

import (
	"math/rand/v2"
	"testing"
)

func TestTheQueueIsFirstInFirstOut(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var q queue
	in, out := 0, 0
	for range 10_000 {
		if random.IntN(2) == 0 && q.len() < 50 {
			in++
			q.push(&call{id: in})
		} else if c := q.pop(); c != nil {
			out++
			if c.id != out {
				t.Fatalf("got call %d, want %d", c.id, out)
			}
		}
		if q.len() != in-out {
			t.Fatalf("got length %d, want %d", q.len(), in-out)
		}
	}
	if n := cap(q.calls); n > 256 {
		t.Errorf("a queue of at most 50 calls has grown to %d", n)
	}
}
