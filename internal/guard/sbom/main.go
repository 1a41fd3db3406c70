// Command sbom writes the bill of materials of a program that Go has made: sbom PROGRAM FILE. Its tests look at a whole
// release, too.
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("want a program and a file, got %q", args)
	}
	text, err := BillOfMaterials(args[0])
	if err != nil {
		return err
	}
	return os.WriteFile(args[1], text, 0o644)
}
