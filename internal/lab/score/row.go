package score

import (
	"slices"

	"github.com/loopstone/loopstone/internal/lab/label"
)

// Row is the score of one contender.
type Row struct {
	Contender

	Recall      Share // of the loops, those in which it spoke
	Same        Share // of the runs with a loop that is the same
	InVain      Share // of the looping runs that only have loops in vain
	FalseAlarms Share // of the healthy runs, those in which it spoke
	Latency     Spread
	Saved       Share // of the steps of loops, those after its first alarm
	Wasted      Share // of the steps of looping runs after the third of the loop, those that it does not prevent
	Lost        Share // of the steps of healthy runs, those after its first alarm
	Pairs       Agreement
	Solved      Share // of the runs that solved their task, those in which it spoke
	Unsolved    Share // of those that did not
}

// Spread is how many steps after the third of a loop the first alarm came, over the loops that were found. It is below
// zero where the detector spoke before.
type Spread struct{ steps []int }

// Median returns the lower of the two middle values, the least and the greatest, and whether there are any.
func (s Spread) Median() (median, least, most int, ok bool) {
	if len(s.steps) == 0 {
		return 0, 0, 0, false
	}
	sorted := slices.Sorted(slices.Values(s.steps))
	return sorted[(len(sorted)-1)/2], sorted[0], sorted[len(sorted)-1], true
}

// Agreement is how far what is said of pairs of steps agrees with their labels.
type Agreement struct {
	Said     int `json:"said"`
	Right    int `json:"right"`
	Repeated int `json:"repeated"`
}

// Precision returns how often it is right where it says that a step repeats the last.
func (a Agreement) Precision() Share { return Share{Part: a.Right, Of: a.Said} }

// Recall returns how many of the repeating steps it says so of.
func (a Agreement) Recall() Share { return Share{Part: a.Right, Of: a.Repeated} }

// add compares what was said with the labels; pairs that nobody labelled do not count.
func (a *Agreement) add(labels []Relation, said []bool) {
	for i, label := range labels[:min(len(labels), len(said))] {
		repeats := label == Repetition
		a.Said += count(said[i])
		a.Repeated += count(repeats)
		a.Right += count(said[i] && repeats)
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sum adds the agreement on other pairs.
func (a *Agreement) sum(b Agreement) {
	a.Said, a.Right, a.Repeated = a.Said+b.Said, a.Right+b.Right, a.Repeated+b.Repeated
}

// add takes in what the contender said of a run.
func (r *Row) add(run *Run, steps int, response Response) {
	spoke, last := response.Alarm != nil, steps-1
	if spoke {
		last = response.Alarm.At
	}
	after := steps - 1 - last
	switch run.Loop {
	case Yes:
		r.addLoop(run, spoke)
		r.Saved.addSteps(run, after, steps)
		third := run.third() // -1, before all steps, if nobody marked the loop
		r.Wasted.addSteps(run, max(0, last-third), max(0, steps-1-third))
		if spoke && third >= 0 {
			r.Latency.steps = append(r.Latency.steps, response.Alarm.At-third)
		}
	case No:
		r.FalseAlarms.add(run, spoke)
		r.Lost.addSteps(run, after, steps)
	}
	switch whole := run.undrawn(); run.Solved {
	case Yes:
		r.Solved.add(&whole, spoke)
	case No:
		r.Unsolved.add(&whole, spoke)
	}
	r.Pairs.sum(response.Pairs)
}

// addLoop takes in whether the contender spoke in a looping run. Its kinds are known if somebody marked its loops.
func (r *Row) addLoop(run *Run, spoke bool) {
	r.Recall.add(run, spoke)
	switch {
	case len(run.Spans) == 0:
	case slices.ContainsFunc(run.Spans, func(s label.Span) bool { return s.Kind == label.Same }):
		r.Same.add(run, spoke)
	default:
		r.InVain.add(run, spoke)
	}
}
