// Package chosen is what mutated copies ask at run time where one process runs one mutant: which of the faults is on,
// which the environment says. It is for any number of goroutines, and there from the start, so that variables of a
// package are initialised with the fault on.
//
// Only the copies import it, which exist during a build alone.
package chosen

import (
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
)

// Variable is the environment variable that holds the number of the mutant. Without it everything is as it was written.
const Variable = "LOOPSTONE_MUTANT"

// maxSteps is how many calls and turns of loops a process may take: some mutants never come to an end. The tests that
// judge mutants take less than a hundredth of it.
const maxSteps = 50_000_000

var (
	current = number(os.Getenv(Variable))
	steps   atomic.Int64
)

func number(text string) int {
	n, _ := strconv.Atoi(text) // what is no number chooses nothing
	return n
}

// Is reports whether the mutant of that number is on.
func Is(id int) bool { return current == id }

// Step counts one call of a function or one turn of a loop, and ends the process after too many.
func Step() {
	if steps.Add(1) > maxSteps {
		fmt.Fprintln(os.Stderr, "the mutant does not come to an end")
		os.Exit(1)
	}
}

// Renew does nothing: the fault is on before any variable is initialised.
func Renew(func()) {}
