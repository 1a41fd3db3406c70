package generate

import "pgregory.net/rapid"

// dice makes random choices. They cost what a draw of rapid costs, which is why there are no generators of generators:
// a hundred choices must not take longer than playing what they make.
//
// Choices lean a little to the small side, so that pools begin with what is simple; oneIn does not lean.
type dice struct{ t *rapid.T }

// maxSides is the largest n of below.
const maxSides = 1024

// numberBelow holds the generator of the numbers below n at place n.
var numberBelow = func() (all [maxSides + 1]*rapid.Generator[uint]) {
	for n := 1; n <= maxSides; n++ {
		all[n] = rapid.UintRange(0, uint(n-1))
	}
	return all
}()

var coin = rapid.Bool()

// below returns a number from 0 to n-1. It assumes that n is 1 to maxSides.
func (d dice) below(n int) int { return int(numberBelow[n].Draw(d.t, "")) }

// between returns a number from least to most.
func (d dice) between(least, most int) int { return least + d.below(most-least+1) }

// maybe is true half the time.
func (d dice) maybe() bool { return coin.Draw(d.t, "") }

// oneIn is true one time in n, which must be a power of two. It shrinks to false.
func (d dice) oneIn(n int) bool {
	for ; n > 1; n /= 2 {
		if !d.maybe() {
			return false
		}
	}
	return true
}

// pick returns one of the pool, which must not be empty.
func pick[T any](d dice, pool []T) T { return pool[d.below(len(pool))] }
