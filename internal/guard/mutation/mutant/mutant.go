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
	current  = Original
	steps    int
	budget   = math.MaxInt
	watched  *Mutants // nil where nobody watches
	renewals []func() // each initialises one variable of a package
	initial  *Mutants // the mutants that the renewals come by; nil until somebody asks
)

// Mutants is a set of mutants.
type Mutants struct{ has []bool } // by number: whatever runs asks for some of them at every turn

// Has reports whether the mutant of that number is in the set.
func (m *Mutants) Has(id int) bool { return id >= 0 && id < len(m.has) && m.has[id] }

func (m *Mutants) add(id int) {
	if id >= len(m.has) {
		m.has = append(m.has, make([]bool, id+1-len(m.has))...)
	}
	m.has[id] = true
}

// Is reports whether the mutant of that number is on.
func Is(id int) bool {
	if watched != nil {
		watched.add(id)
	}
	return current == id
}

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

// Watch calls f and returns the mutants that it comes by: those that decide nothing unless they are on. A deterministic
// f does the same whichever of the others is on.
func Watch(f func()) *Mutants {
	before := watched
	defer func() { watched = before }()
	found := &Mutants{}
	watched = found
	f()
	return found
}

// Renew registers a function that initialises a variable of a package again, for a mutant may change its value.
func Renew(f func()) { renewals = append(renewals, f) }

// Initial reports whether the variables of the packages come by the mutant when they are initialised: whatever is done
// afterwards may depend on it.
func Initial(id int) bool {
	if initial == nil {
		on := current
		Set(Original)
		initial = Watch(renew)
		Set(on)
	}
	return initial.Has(id)
}

// Set turns one mutant on, and all others off. All variables are initialised again, what they remember of earlier uses
// included.
func Set(id int) {
	current = id
	Begin()
	renew()
}

func renew() {
	for _, run := range renewals {
		run()
	}
}
