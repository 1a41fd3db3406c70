package main

import (
	"errors"
	"fmt"
	"strconv"
)

// mutantCount is how many faults are planted in the reference of this program. Only the build with mutants sets it, which
// `go run ./internal/mutation/cmd/mutation build` makes. A released program has none: nobody can be judged by a reference
// that is wrong on purpose.
var mutantCount = "0"

// parseMutant reads the number of a mutant of this program; 0 stands for the reference as it is.
func parseMutant(text string) (int, error) {
	count, err := strconv.Atoi(mutantCount)
	if err != nil {
		return 0, fmt.Errorf("this program was built wrongly: it has %q mutants", mutantCount)
	}
	if count == 0 {
		return 0, errors.New("this program carries no mutants; build one that does from the source:\n" +
			"  go run ./internal/mutation/cmd/mutation build -o bin/loopstone-mutants")
	}
	id, err := strconv.Atoi(text)
	if err != nil || id < 0 || id > count {
		return 0, fmt.Errorf("want the number of a mutant, at most %d, or 0 for none", count)
	}
	return id, nil
}
