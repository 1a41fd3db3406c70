package main

import (
	"flag"
	"strings"

	"github.com/loopstone/loopstone/conformance"
)

// patterns is a flag that may be given several times, each time with patterns joined by commas.
type patterns []string

// String implements [flag.Value].
func (p *patterns) String() string { return strings.Join(*p, ",") }

// Set implements [flag.Value].
func (p *patterns) Set(text string) error {
	*p = append(*p, strings.Split(text, ",")...)
	return nil
}

// selectionFlags adds the flags that select cases.
func selectionFlags(flags *flag.FlagSet, s *conformance.Selection) {
	flags.Var((*patterns)(&s.Cases), "case", "only cases whose id matches `pattern` (* stands for anything)")
	flags.Var((*patterns)(&s.Detectors), "detector", "only cases of a detector that matches `pattern`")
	flags.Var((*patterns)(&s.Readings), "reading", "only in a reading that matches `pattern`")
	flags.Var((*patterns)(&s.Clauses), "clause", "only cases that cite a clause that matches `pattern`")
	flags.Var((*patterns)(&s.Tags), "tag", "only cases with a tag that matches `pattern`")
}
