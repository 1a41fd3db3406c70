// Command portcoverage lists the branches of our ports that no case reaches. Each is a missing case or dead code,
// unless reasons.yaml says why no case can reach it.
//
//	portcoverage ADAPTERS FILE...   reads what a run of the suite has covered, as LCOV or as llvm-cov's JSON
//
// It exits with 1 where a branch has no reason, and where a reason is about no such branch. See make coverage.
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "portcoverage: want a folder of ports and files of coverage")
		os.Exit(64)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run prints what is measured, and returns what is wrong with it, one problem a line.
func run(ports string, files []string) error {
	measured := coverage{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("read what was covered: %w", err)
		}
		if err := measured.read(text); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	text, err := os.ReadFile(reasonsFile)
	if err != nil {
		return fmt.Errorf("read the reasons: %w", err)
	}
	reasons, err := readReasons(reasonsFile, text)
	if err != nil {
		return err
	}
	lines, unreached, err := measured.below(ports)
	if err != nil {
		return err
	}
	open := without(unreached, reasons)
	fmt.Printf("%d lines that can be reached, %d not or not in every branch, %d of them without a reason\n",
		lines, len(unreached), len(open))
	var problems []error
	for _, line := range open {
		problems = append(problems, fmt.Errorf("%s:%d: no case reaches a branch of: %s",
			filepath.Join(ports, line.file), line.number, line.text))
	}
	return errors.Join(append(problems, stale(reasons, unreached, measured.languages(ports))...)...)
}
