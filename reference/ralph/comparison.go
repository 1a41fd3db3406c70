package ralph

import (
	"math/bits"
	"unicode/utf8"
)

// comparison finds the length of the longest common subsequence of two texts, after Hyyrö's bit-parallel algorithm:
// one bit per code point of the first text says whether the code points up to there gain nothing by one more, and a
// word of 64 of them takes one addition per code point of the second.
//
// It works word by word, with the carries of the word before, and leaves out what can no longer belong to a common
// subsequence of the wanted length. Its fields are working memory, kept from one use to the next.
type comparison struct {
	symbols alphabet
	a, b    []int32  // the texts as symbols
	places  []uint64 // by symbol: where it stands in the current word of a
	carries []uint64 // by position in b: 1 where one more of b gains something, as far as a was read
}

// common returns the length of the longest common subsequence of a and b if it is at least least; else some smaller
// number.
func (c *comparison) common(a, b []rune, least int) int { // RA-7
	if min(len(a), len(b)) < least {
		return 0
	}
	before := sharedStart(a, b)
	a, b = a[before:], b[before:]
	after := sharedEnd(a, b)
	a, b = a[:len(a)-after], b[:len(b)-after]
	shared := before + after
	if len(a) == 0 || len(b) == 0 {
		return shared
	}
	return shared + c.subsequence(a, b, least-shared)
}

// subsequence reads a word by word. A subsequence of the wanted length that has used a and b up to some place can gain
// no more than what is left of both: a place where that is too little is dead. A word goes from the first place of b
// that is not to the last; in texts that differ these come nearer with every word, and meet.
func (c *comparison) subsequence(a, b []rune, least int) int {
	c.prepare(a, b)
	first, last := 0, 0   // the places of b that are not dead
	before, found := 0, 0 // length of what a, as far as it was read, has in common with b up to the first, and to the last
	for from := 0; from < len(a); from += 64 {
		to := min(from+64, len(a))
		for first < last && before+min(len(a)-from, len(b)-first) < least {
			before += int(c.carries[first])
			first++
		}
		last = max(last, min(found+to-from+len(b)-least, len(b)))
		if first == last {
			break
		}
		found += c.word(from, to, first, last)
	}
	return found
}

// prepare writes both texts as symbols and clears the memory.
func (c *comparison) prepare(a, b []rune) {
	c.symbols.clear()
	c.a, c.b = c.a[:0], c.b[:0]
	for _, r := range a {
		c.a = append(c.a, c.symbols.add(r))
	}
	for _, r := range b {
		c.b = append(c.b, c.symbols.find(r))
	}
	c.places = zeroed(c.places, c.symbols.size+1)
	c.carries = zeroed(c.carries, len(b))
}

// word takes the code points from … to of a through those first … last of b and returns how many of them end a longer
// common subsequence.
func (c *comparison) word(from, to, first, last int) int {
	for i, symbol := range c.a[from:to] {
		c.places[symbol] |= 1 << i
	}
	gainless := ^uint64(0)
	carries := c.carries[first:last]
	for j, symbol := range c.b[first:last] {
		matches := gainless & c.places[symbol]
		sum, carry := bits.Add64(gainless, matches, carries[j])
		carries[j] = carry
		gainless = sum | gainless&^matches
	}
	for _, symbol := range c.a[from:to] {
		c.places[symbol] = 0
	}
	return bits.OnesCount64(^gainless)
}

func zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	s = s[:n]
	clear(s)
	return s
}

func sharedStart(a, b []rune) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func sharedEnd(a, b []rune) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// alphabet numbers code points from 1 in the order of their first use; 0 stands for one that it does not have.
type alphabet struct {
	ascii [utf8.RuneSelf]int32
	other map[rune]int32
	size  int
}

func (a *alphabet) clear() {
	a.ascii, a.size = [utf8.RuneSelf]int32{}, 0
	clear(a.other)
}

func (a *alphabet) find(r rune) int32 {
	if r < utf8.RuneSelf {
		return a.ascii[r]
	}
	return a.other[r]
}

func (a *alphabet) add(r rune) int32 {
	if symbol := a.find(r); symbol != 0 {
		return symbol
	}
	a.size++
	symbol := int32(a.size)
	if r < utf8.RuneSelf {
		a.ascii[r] = symbol
		return symbol
	}
	if a.other == nil {
		a.other = map[rune]int32{}
	}
	a.other[r] = symbol
	return symbol
}
