// Package label is how somebody says which steps of recorded runs are loops: a file of labels, a local page that writes
// it, the agreement of two such files, and a sample of runs that are worth labelling. docs/label-runs.md
// defines what a loop is.
//
// Who labels sees calls and results and no detector's verdict, and the runs in an order that a seed shuffles.
package label

import (
	"fmt"
	"slices"
)

// Kind says how the steps of a span repeat.
type Kind string

// The two kinds. A step is the same as an earlier one if it asks for the same and learns nothing new. It is in vain if
// it is another attempt with the same failure.
const (
	Same   Kind = "same"
	InVain Kind = "in_vain"
)

// Span is a loop: steps from First to Last, counted from 1. A step is one call of a tool with its result.
type Span struct {
	First int  `json:"first"`
	Last  int  `json:"last"`
	Kind  Kind `json:"kind"`
}

// Label is what one labeller says of one run.
type Label struct {
	Corpus   string `json:"corpus"` // the name of its folder or file
	Run      string `json:"run"`    // its path below the corpus, with #NAME where the file holds several
	Labeller string `json:"labeller"`
	Steps    int    `json:"steps"`            // how many the run has
	Spans    []Span `json:"spans"`            // in ascending order; none if the run has no loop
	Begun    *Span  `json:"begun,omitempty"`  // a span whose last step is not marked yet: Last is 0
	Unsure   bool   `json:"unsure,omitempty"` // the labeller cannot decide; the run counts as unlabelled
	Finished bool   `json:"finished"`         // whether the labeller has gone through the run
}

// Run names a run of a corpus.
type Run struct{ Corpus, Run string }

func (l Label) of() Run { return Run{l.Corpus, l.Run} }

// HasLoop reports whether the label marks a loop.
func (l Label) HasLoop() bool { return len(l.Spans) > 0 }

// Decides reports whether the label says if the run has a loop.
func (l Label) Decides() bool { return l.Finished && !l.Unsure }

// minSteps is how many steps a loop has at least.
const minSteps = 3

// Check returns why a label cannot be: a member is missing, or spans overlap, are too short or lie outside the run.
func (l Label) Check() error {
	switch {
	case l.Corpus == "" || l.Run == "" || l.Labeller == "" || l.Steps < 1:
		return fmt.Errorf("a label needs corpus, run, labeller and steps")
	case l.Begun != nil && (l.Begun.Last != 0 || l.Finished):
		return fmt.Errorf("begun: a span without a last step, in a run that is not finished")
	}
	before := 0
	for i, s := range l.Spans {
		if err := s.check(before, l.Steps); err != nil {
			return fmt.Errorf("spans/%d: %w", i, err)
		}
		before = s.Last
	}
	if l.Begun == nil {
		return nil
	}
	if l.Begun.First < 1 || l.Begun.First > l.Steps {
		return fmt.Errorf("begun: first is %d, but the run has %d steps", l.Begun.First, l.Steps)
	}
	return l.Begun.checkKind()
}

func (s Span) check(before, steps int) error {
	switch {
	case s.First <= before:
		return fmt.Errorf("first is %d, but must lie behind step %d", s.First, before)
	case s.Last-s.First+1 < minSteps:
		return fmt.Errorf("a loop has at least %d steps; first is %d and last is %d", minSteps, s.First, s.Last)
	case s.Last > steps:
		return fmt.Errorf("last is %d, but the run has %d steps", s.Last, steps)
	}
	return s.checkKind()
}

func (s Span) checkKind() error {
	if !slices.Contains([]Kind{Same, InVain}, s.Kind) {
		return fmt.Errorf("kind is %q; want %q or %q", s.Kind, Same, InVain)
	}
	return nil
}
