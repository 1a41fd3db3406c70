// Package mutant is what the mutated copies of the reference ask at run time: which of their faults is on. All mutants
// are compiled into one program, so that it takes a microsecond, not a build, to go from one to the next.
//
// Only the copies import it, which exist during a build alone; the reference itself knows nothing of mutants. It is for
// one goroutine.
package mutant

import "math"

// Original is the number of no mutant: everything is as it was written.
const Original = 0

var (
	current = Original
	steps   int
	budget  = math.MaxInt
	renewal []func()
)

// Is reports whether the mutant of that number is on.
func Is(id int) bool { return current == id }

// Step counts one call of a function or one turn of a loop. It panics where there were more of them since [Begin] than
// Limit allows: some mutants never come to an end.
func Step() {
	steps++
	if steps > budget {
		panic("the mutant does not come to an end")
	}
}

// Limit sets how many steps there may be; without it there is no limit.
func Limit(n int) { budget = n }

// Begin starts to count the steps anew.
func Begin() { steps = 0 }

// Steps returns how many steps there were since Begin.
func Steps() int { return steps }

// Renew registers a function that initialises variables of a package again, for a mutant may change their values.
func Renew(f func()) { renewal = append(renewal, f) }

// Set turns one mutant on, and all others off.
func Set(id int) {
	current = id
	Begin()
	for _, f := range renewal {
		f()
	}
}
