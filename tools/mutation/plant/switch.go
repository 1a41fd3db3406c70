package plant

import "math"

// What the mutated copies of the reference ask at run time: which of their faults is on. All mutants are compiled into
// one program, so that it takes a microsecond, not a build, to go from one to the next. It is for one goroutine.

// Original is the number of no mutant: everything is as it was written.
const Original = 0

var (
	current  = Original
	steps    int
	budget   = math.MaxInt
	watched  *Set     // nil where nobody watches
	renewals []func() // each initialises one variable of a package
	initial  *Set     // the mutants that the renewals come by; nil until somebody asks
)

// Set is a set of mutants.
type Set struct{ has []bool } // by number: whatever runs asks for some of them at every turn

// Has reports whether the mutant of that number is in the set.
func (s *Set) Has(id int) bool { return id >= 0 && id < len(s.has) && s.has[id] }

func (s *Set) add(id int) {
	if id >= len(s.has) {
		s.has = append(s.has, make([]bool, id+1-len(s.has))...)
	}
	s.has[id] = true
}

// Is reports whether the mutant of that number is on.
func Is(id int) bool {
	if watched != nil {
		watched.add(id)
	}
	return current == id
}

// Step counts one call of a function or one turn of a loop. It panics where there were more of them since [Begin] than
// it allows: some mutants never come to an end.
func Step() {
	steps++
	if steps > budget {
		panic("the mutant does not come to an end")
	}
}

// Begin starts to count the steps again, and sets how many there may be.
func Begin(most int) { steps, budget = 0, most }

// Steps returns how many steps there were since Begin.
func Steps() int { return steps }

// ReachedBy calls f and returns the mutants that it comes by: those that decide nothing unless they are on. A
// deterministic f does the same whichever of the others is on.
func ReachedBy(f func()) *Set {
	before := watched
	defer func() { watched = before }()
	found := &Set{}
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
		TurnOn(Original)
		initial = ReachedBy(renew)
		TurnOn(on)
	}
	return initial.Has(id)
}

// TurnOn turns one mutant on, and all others off. All variables are initialised again, what they remember of earlier
// uses included.
func TurnOn(id int) {
	current = id
	Begin(math.MaxInt)
	renew()
}

func renew() {
	for _, run := range renewals {
		run()
	}
}
