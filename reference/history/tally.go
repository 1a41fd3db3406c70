package history

// tally counts how often each digest is in the window, and knows the highest of its counts without looking at all of
// them. The zero tally is empty.
type tally struct {
	counts map[digest]int
	having []int // having[n] is how many digests have the count n; having[0] is not used
	most   int
}

// add adds n, 1 or -1, to the count of a digest. It assumes that no count falls below 0.
func (t *tally) add(d digest, n int) {
	if t.counts == nil {
		t.counts, t.having = map[digest]int{}, []int{0}
	}
	before := t.counts[d]
	after := before + n
	if after == 0 {
		delete(t.counts, d)
	} else {
		t.counts[d] = after
	}
	t.move(before, after)
}

// move notes that a digest went from one count to the next or the previous one. The highest count moves with it where
// the digest was the only one that had it, or got ahead of all.
func (t *tally) move(before, after int) {
	t.having[before]--
	if after == len(t.having) {
		t.having = append(t.having, 0)
	}
	t.having[after]++
	if after > t.most || before == t.most && t.having[before] == 0 {
		t.most = after
	}
}

// max returns the highest count; 0 for an empty tally.
func (t *tally) max() int { return t.most }

// leads reports whether no digest has a higher count than this one. It assumes that the digest is in the window.
func (t *tally) leads(d digest) bool { return t.counts[d] == t.most }
