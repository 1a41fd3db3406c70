package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/loopstone/loopstone/internal/profile"
)

// listProfiles prints the detectors of the field that composed has configurations of.
func listProfiles(w *tabwriter.Writer) error {
	all, err := profile.All()
	if err != nil {
		return suiteError{err}
	}
	fmt.Fprintln(w, "profile\trules\twhat it looks for\tsource")
	for _, p := range all {
		fmt.Fprintf(w, "@%s\t%d\t%s\t%s\n", p.Name, len(p.Rules.Items()), p.Title, p.Source.Repository)
	}
	return nil
}

// showProfile prints what a profile says of its detector, and its rules as a configuration has them.
func showProfile(w io.Writer, name string) error {
	p, err := profile.ByName(name)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "@%s: %s\n  source   %s\n  licence  %s\n", p.Name, p.Title, p.Source, p.Licence)
	for _, text := range p.Covers {
		fmt.Fprintf(w, "  covers   %s\n", text)
	}
	for _, text := range p.Lacks {
		fmt.Fprintf(w, "  lacks    %s\n", text)
	}
	_, rules, _ := strings.Cut(p.Text, "\nrules:") // the reader has seen that it is there
	fmt.Fprintf(w, "rules:%s", rules)
	return nil
}
