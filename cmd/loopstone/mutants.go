package main

import (
	"errors"
	"fmt"
	"strconv"
)

// What only the build with mutants sets, which `go run ./internal/strength/cmd/strength build` makes. A released
// program has none: nobody can be judged by a reference that is wrong on purpose.
var (
	mutantCount  = "0"     // how many faults are planted in the reference; the linker sets it
	chooseMutant func(int) // turns one of them on, and all others off
)

// parseMutant reads the number of a mutant of this program; 0 stands for the reference as it is.
func parseMutant(text string) (int, error) {
	if chooseMutant == nil {
		return 0, errors.New("this program carries no mutants; build one that does from the source:\n" +
			"  go run ./internal/strength/cmd/strength build -o bin/loopstone-mutants")
	}
	count, err := strconv.Atoi(mutantCount)
	if err != nil {
		return 0, fmt.Errorf("this program was built wrongly: it has %q mutants", mutantCount)
	}
	id, err := strconv.Atoi(text)
	if err != nil || id < 0 || id > count {
		return 0, fmt.Errorf("want the number of a mutant, at most %d, or 0 for none", count)
	}
	return id, nil
}
