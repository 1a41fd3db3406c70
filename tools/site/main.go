// Command site writes the pages of the site from what the project has: clauses, cases, claims, detectors and guides. No
// page is written by hand, so that none says what is no longer so.
//
//	site pages FOLDER REPORTS…    writes them into a folder, which it empties first; the reports of implementations are
//	                              in the other folders
//	site verdicts                 prints what the reference says of the suite's traces, for the tests of the playground
package main

import (
	"context"
	"fmt"
	"os"
)

func main() {
	var err error
	switch args := os.Args[1:]; {
	case len(args) >= 2 && args[0] == "pages":
		err = writePages(context.Background(), args[1], args[2:])
	case len(args) == 1 && args[0] == "verdicts":
		err = printVerdicts()
	default:
		fmt.Fprintln(os.Stderr, "usage: site pages FOLDER REPORTS… | site verdicts")
		os.Exit(64)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
